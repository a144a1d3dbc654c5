// Multiply-adds on registers alone; for whole numbers and floats.
#include "cpu/kernels/scalar/scalar.h"

namespace hymt::cpu::scalar {
namespace {

template <class T>
double run(int64_t rounds) {
  constexpr int kChains = 8;
  T chains[kChains] = {};
  T a = 3;
  T b = 2;
  for (int64_t round = 0; round < rounds; ++round) {
    asm volatile("" : "+m"(a), "+m"(b));
    const T product = a * b;
    for (T& chain : chains) chain += product * static_cast<T>(round);
  }
  asm volatile("" : : "m"(chains));
  return static_cast<double>(rounds) * kChains * 2;
}

}  // namespace

double peak_int8(int64_t rounds) {
  return run<int32_t>(rounds);
}
double peak_f32(int64_t rounds) {
  return run<float>(rounds);
}

}  // namespace hymt::cpu::scalar
