// How each instruction set fills its slots; the rest of a table stays as it was.
#pragma once

#include "cpu/kernels/kernels.h"

namespace hymt::cpu {

void fill_scalar(Kernels& table);  // every slot
#if defined(__x86_64__)
void fill_avx2(Kernels& table);      // needs AVX2, FMA, F16C
void fill_avx_vnni(Kernels& table);  // needs AVX-VNNI and the above
void fill_avx512(Kernels& table);    // needs AVX-512 F, BW, DQ, VL, VNNI, BF16 and those of AVX2
#endif
#if defined(__aarch64__)
void fill_neon(Kernels& table);  // needs NEON and its dot products
#endif

}  // namespace hymt::cpu
