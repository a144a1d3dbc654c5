// Matrix products for AVX-512 with VNNI and BF16; slots of Kernels::multiply.
#pragma once

#include "cpu/kernels/kernels.h"

namespace hymt::cpu::avx512 {

void multiply_q4(const Panels& weights, int first, int last, const InputRows& x,
                 const OutputRows& out, void* scratch);
// The same bits; takes many rows' weights apart once a chunk, not in each tile's registers. Faster
// where that would keep the units that multiply busy (Intel's), slower where others do it (AMD's).
void multiply_q4_by_bytes(const Panels& weights, int first, int last, const InputRows& x,
                          const OutputRows& out, void* scratch);
void multiply_q8(const Panels& weights, int first, int last, const InputRows& x,
                 const OutputRows& out, void* scratch);
void multiply_bf16(const Panels& weights, int first, int last, const InputRows& x,
                   const OutputRows& out, void* scratch);
void multiply_f32(const Panels& weights, int first, int last, const InputRows& x,
                  const OutputRows& out, void* scratch);

// Slots of Kernels::peak.
double peak_int8(int64_t rounds);
double peak_bf16(int64_t rounds);
double peak_f32(int64_t rounds);

}  // namespace hymt::cpu::avx512
