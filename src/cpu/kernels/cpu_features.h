// What this processor and its operating system can run.
#pragma once

namespace hymt::cpu {

bool has_avx2();  // AVX2, FMA, F16C: all that kernels/avx2 is compiled for
bool is_amd();
bool has_avx_vnni();  // has_avx2() and VPDPBUSD without AVX-512
bool has_avx512();    // has_avx2() and AVX-512 F, BW, DQ, VL, VNNI, BF16
bool has_neon();      // 64-bit ARM: NEON and its dot products (ARMv8.2's ASIMDDP)

}  // namespace hymt::cpu
