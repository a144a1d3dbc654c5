// Matrix products for AVX-VNNI; slots of Kernels::multiply.
#pragma once

#include "cpu/kernels/kernels.h"

namespace hymt::cpu::avx_vnni {

void multiply_q4(const Panels& weights, int first, int last, const InputRows& x,
                 const OutputRows& out, void* scratch);
void multiply_q8(const Panels& weights, int first, int last, const InputRows& x,
                 const OutputRows& out, void* scratch);

// Slot of Kernels::peak.
double peak_int8(int64_t rounds);

}  // namespace hymt::cpu::avx_vnni
