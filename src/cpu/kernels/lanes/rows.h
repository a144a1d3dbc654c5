// The row kernels on 16 lanes. Include after the instruction set's lanes.h.
#pragma once

#include <math.h>

#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu {
namespace {

inline void quantize(const float* x, int n, int8_t* quants, float* scales, int32_t* starts_q4,
                     int32_t* starts_q8) {
  for (int b = 0; b < n / kBlockColumns; ++b, x += kBlockColumns, quants += kBlockColumns) {
    const Lanes low = load(x);
    const Lanes high = load(x + 16);
    const float absmax = greatest_of(greater(magnitude(high), greater(magnitude(low), zero())));
    const Lanes inverse = all(absmax > 0 ? 127.0f / absmax : 0.0f);
    // The bounds also turn what is no number into one.
    const auto whole = [&](Lanes v) {
      return nearest(lesser(greater(v * inverse, all(-127.0f)), all(127.0f)));
    };
    const int sum = store_int8(quants, whole(low)) + store_int8(quants + 16, whole(high));
    scales[b] = absmax / 127.0f;
    starts_q4[b] = -8 * sum;
    starts_q8[b] = -128 * sum;
  }
}

inline float to_int8(const float* x, int n, int8_t* out) {
  const auto get = [&](int i) { return i + 16 <= n ? load(x + i) : load_part(x + i, n - i); };
  Lanes largest = zero();
  for (int i = 0; i < n; i += 16) largest = greater(magnitude(get(i)), largest);
  const float absmax = greatest_of(largest);
  const Lanes inverse = all(absmax > 0 ? 127.0f / absmax : 0.0f);
  for (int i = 0; i < n; i += 16) {
    const Lanes whole = nearest(lesser(greater(get(i) * inverse, all(-127.0f)), all(127.0f)));
    if (i + 16 <= n) {
      store_int8(out + i, whole);
      continue;
    }
    int8_t last[16];
    store_int8(last, whole);
    for (int j = 0; i + j < n; ++j) out[i + j] = last[j];
  }
  return absmax / 127.0f;
}

inline void to_f16(const float* x, int n, uint16_t* out) {
  int i = 0;
  for (; i + 16 <= n; i += 16) store_f16(out + i, load(x + i));
  if (i == n) return;
  uint16_t last[16];
  store_f16(last, load_part(x + i, n - i));
  for (int j = 0; i + j < n; ++j) out[i + j] = last[j];
}

inline void to_bf16(const float* x, int n, uint16_t* out) {
  int i = 0;
  for (; i + 16 <= n; i += 16) store_bf16(out + i, load(x + i));
  if (i == n) return;
  uint16_t last[16];
  store_bf16(last, load_part(x + i, n - i));
  for (int j = 0; i + j < n; ++j) out[i + j] = last[j];
}

// 1 / sqrt(mean(x^2) + epsilon) from the lanes' sums of squares.
inline Lanes norm_factor(Lanes squares, int n, float epsilon) {
  return all(1.0f / sqrtf(sum_of(squares) / static_cast<float>(n) + epsilon));
}

inline void rms_norm(const float* x, const float* weight, int n, float epsilon, float* out) {
  Lanes even = zero();
  Lanes odd = zero();  // two chains, so that an addition need not wait for the last
  int i = 0;
  for (; i + 32 <= n; i += 32) {
    const Lanes a = load(x + i);
    const Lanes b = load(x + i + 16);
    even = multiply_add(a, a, even);
    odd = multiply_add(b, b, odd);
  }
  for (; i < n; i += 16) {
    const Lanes a = i + 16 <= n ? load(x + i) : load_part(x + i, n - i);
    even = multiply_add(a, a, even);
  }
  const Lanes factor = norm_factor(even + odd, n, epsilon);
  for (i = 0; i + 16 <= n; i += 16) store(out + i, load(x + i) * factor * load(weight + i));
  if (i < n) {
    const int rest = n - i;
    store_part(out + i, load_part(x + i, rest) * factor * load_part(weight + i, rest), rest);
  }
}

// The rotation of lanes i.. of the first half (a) and of the second (b), n of them.
struct Rotated {
  Lanes a;
  Lanes b;
};
inline Rotated rotate(const float* x, const float* rotation, int half, int i, int n) {
  const auto get = [n](const float* p) { return n == 16 ? load(p) : load_part(p, n); };
  const Lanes a = get(x + i);
  const Lanes b = get(x + half + i);
  const Lanes cosine = get(rotation + i);
  const Lanes sine = get(rotation + half + i);
  return {multiply_add(a, cosine, zero() - b * sine), multiply_add(b, cosine, a * sine)};
}

inline void rotate_and_norm(const float* x, const float* rotation, const float* weight, int d_head,
                            float epsilon, float scale, float* out) {
  const int half = d_head / 2;
  Lanes squares = zero();
  for (int i = 0; i < half; i += 16) {
    const int n = half - i < 16 ? half - i : 16;
    const Rotated r = rotate(x, rotation, half, i, n);
    squares = multiply_add(r.a, r.a, squares);
    squares = multiply_add(r.b, r.b, squares);
    if (n == 16) {
      store(out + i, r.a);
      store(out + half + i, r.b);
    } else {
      store_part(out + i, r.a, n);
      store_part(out + half + i, r.b, n);
    }
  }
  const Lanes factor = norm_factor(squares, d_head, epsilon) * all(scale);
  int i = 0;
  for (; i + 16 <= d_head; i += 16) store(out + i, load(out + i) * factor * load(weight + i));
  if (i < d_head) {
    const int rest = d_head - i;
    store_part(out + i, load_part(out + i, rest) * factor * load_part(weight + i, rest), rest);
  }
}

inline int arg_max(const float* x, int n) {
  Lanes best = all(-INFINITY);
  int i = 0;
  for (; i + 16 <= n; i += 16) best = greater(load(x + i), best);
  if (i < n) best = greater(first_of(load_part(x + i, n - i), n - i, best), best);
  const float max = greatest_of(best);
  if (!(max > -INFINITY)) return 0;
  for (i = 0; i + 16 <= n; i += 16) {
    const unsigned equal = equal_lanes(load(x + i), all(max));
    if (equal != 0) return i + __builtin_ctz(equal);
  }
  while (i < n && x[i] != max) ++i;
  return i;
}

inline float sum_exp(const float* x, int n, float max) {
  Lanes sum = zero();
  int i = 0;
  for (; i + 16 <= n; i += 16) sum = sum + exp_of(load(x + i) - all(max));
  if (i < n) {
    const int rest = n - i;
    sum = sum + first_of(exp_of(load_part(x + i, rest) - all(max)), rest, zero());
  }
  return sum_of(sum);
}

}  // namespace
}  // namespace hymt::cpu
