// The scalar slots. They are the specification: written for reading, and what every other table
// is tested against.
#pragma once

#include "cpu/kernels/kernels.h"

namespace hymt::cpu::scalar {

void multiply_q4(const Panels& weights, int first, int last, const InputRows& x,
                 const OutputRows& out, void* scratch);
void multiply_q8(const Panels& weights, int first, int last, const InputRows& x,
                 const OutputRows& out, void* scratch);
void multiply_bf16(const Panels& weights, int first, int last, const InputRows& x,
                   const OutputRows& out, void* scratch);
void multiply_f32(const Panels& weights, int first, int last, const InputRows& x,
                  const OutputRows& out, void* scratch);

double peak_int8(int64_t rounds);
double peak_f32(int64_t rounds);

void quantize(const float* x, int n, int8_t* quants, float* scales, int32_t* starts_q4,
              int32_t* starts_q8);
void to_bf16(const float* x, int n, uint16_t* out);
void to_f16(const float* x, int n, uint16_t* out);
float to_int8(const float* x, int n, int8_t* out);
void rms_norm(const float* x, const float* weight, int n, float epsilon, float* out);
void rotate_and_norm(const float* x, const float* rotation, const float* weight, int d_head,
                     float epsilon, float scale, float* out);
int arg_max(const float* x, int n);
float sum_exp(const float* x, int n, float max);

void attend_f16(const AttentionTile& tile);
void attend_q8(const AttentionTile& tile);

}  // namespace hymt::cpu::scalar
