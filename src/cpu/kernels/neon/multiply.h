// Matrix products for NEON with the dot product instructions; slots of Kernels::multiply.
#pragma once

#include "cpu/kernels/kernels.h"

namespace hymt::cpu::neon {

void multiply_q4(const Panels& weights, int first, int last, const InputRows& x,
                 const OutputRows& out, void* scratch);
void multiply_q8(const Panels& weights, int first, int last, const InputRows& x,
                 const OutputRows& out, void* scratch);
void multiply_bf16(const Panels& weights, int first, int last, const InputRows& x,
                   const OutputRows& out, void* scratch);
void multiply_f32(const Panels& weights, int first, int last, const InputRows& x,
                  const OutputRows& out, void* scratch);

// Slots of Kernels::peak.
double peak_int8(int64_t rounds);
double peak_f32(int64_t rounds);

}  // namespace hymt::cpu::neon
