// What is done to one row at a time.
#include <algorithm>
#include <cmath>

#include "cpu/kernels/scalar/numbers.h"
#include "cpu/kernels/scalar/scalar.h"

namespace hymt::cpu::scalar {

void quantize(const float* x, int n, int8_t* quants, float* scales, int32_t* starts_q4,
              int32_t* starts_q8) {
  for (int b = 0; b < n / kBlockColumns; ++b, x += kBlockColumns, quants += kBlockColumns) {
    float absmax = 0;
    for (int i = 0; i < kBlockColumns; ++i) absmax = std::max(absmax, std::fabs(x[i]));
    const float inverse = absmax > 0 ? 127.0f / absmax : 0.0f;
    int32_t sum = 0;
    for (int i = 0; i < kBlockColumns; ++i) {
      // The bounds first: an infinity or a NaN (which goes to the lower bound) in a broken model
      // must not overflow an integer.
      const float scaled = std::min(std::max(-127.0f, x[i] * inverse), 127.0f);
      quants[i] = static_cast<int8_t>(std::nearbyint(scaled));
      sum += quants[i];
    }
    scales[b] = absmax / 127.0f;
    starts_q4[b] = -8 * sum;
    starts_q8[b] = -128 * sum;
  }
}

float to_int8(const float* x, int n, int8_t* out) {
  float absmax = 0;
  for (int i = 0; i < n; ++i) absmax = std::max(absmax, std::fabs(x[i]));
  const float inverse = absmax > 0 ? 127.0f / absmax : 0.0f;
  for (int i = 0; i < n; ++i) {
    out[i] =
        static_cast<int8_t>(std::nearbyint(std::min(std::max(-127.0f, x[i] * inverse), 127.0f)));
  }
  return absmax / 127.0f;
}

void to_bf16(const float* x, int n, uint16_t* out) {
  for (int i = 0; i < n; ++i) out[i] = round_to_bf16(x[i]);
}

void to_f16(const float* x, int n, uint16_t* out) {
  for (int i = 0; i < n; ++i) out[i] = round_to_f16(x[i]);
}

void rms_norm(const float* x, const float* weight, int n, float epsilon, float* out) {
  float squares = 0;
  for (int i = 0; i < n; ++i) squares += x[i] * x[i];
  const float factor = 1.0f / std::sqrt(squares / static_cast<float>(n) + epsilon);
  for (int i = 0; i < n; ++i) out[i] = x[i] * factor * weight[i];
}

void rotate_and_norm(const float* x, const float* rotation, const float* weight, int d_head,
                     float epsilon, float scale, float* out) {
  const int half = d_head / 2;
  for (int i = 0; i < half; ++i) {
    const float cosine = rotation[i];
    const float sine = rotation[half + i];
    const float a = x[i];
    const float b = x[half + i];
    out[i] = a * cosine - b * sine;
    out[half + i] = b * cosine + a * sine;
  }
  rms_norm(out, weight, d_head, epsilon, out);
  for (int i = 0; i < d_head; ++i) out[i] *= scale;
}

int arg_max(const float* x, int n) {
  int best = 0;
  float greatest = -INFINITY;
  for (int i = 0; i < n; ++i) {
    if (x[i] > greatest) {
      greatest = x[i];
      best = i;
    }
  }
  return best;
}

float sum_exp(const float* x, int n, float max) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += std::exp(x[i] - max);
  return sum;
}

}  // namespace hymt::cpu::scalar
