// exp and silu on 16 lanes. Include after the instruction set's lanes.h.
#pragma once

namespace hymt::cpu {
namespace {

// exp(x) within 2 ulp; exactly 1 at 0, exactly 0 at -infinity, and no overflow up to 88.
inline Lanes exp_of(Lanes x) {
  x = lesser(greater(x, all(-110.0f)), all(88.0f));
  const Lanes n = nearest(x * all(1.44269504f));
  // x - n ln 2 in two steps: the first constant has few bits, so that its product is exact.
  Lanes r = multiply_add(n, all(-0.693359375f), x);
  r = multiply_add(n, all(2.12194440e-4f), r);
  // Taylor's series: |r| <= 0.35, so the term after the last is below 5e-9.
  Lanes sum = all(1.0f / 5040);
  sum = multiply_add(sum, r, all(1.0f / 720));
  sum = multiply_add(sum, r, all(1.0f / 120));
  sum = multiply_add(sum, r, all(1.0f / 24));
  sum = multiply_add(sum, r, all(1.0f / 6));
  sum = multiply_add(sum, r, all(0.5f));
  sum = multiply_add(sum, r, all(1.0f));
  sum = multiply_add(sum, r, all(1.0f));
  return scale_by_power(sum, n);
}

inline Lanes silu_of(Lanes x) {
  return x / (all(1.0f) + exp_of(zero() - x));
}

}  // namespace
}  // namespace hymt::cpu
