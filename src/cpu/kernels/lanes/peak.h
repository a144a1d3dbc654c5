// Multiply-adds with nothing else: what a processor could do if products were free of loads and
// scales. Internal linkage, see panels.h.
#pragma once

#include <stdint.h>

namespace hymt::cpu {
namespace {

#if defined(__aarch64__)
#define HYMT_IN_REGISTER "+w"
#else
#define HYMT_IN_REGISTER "+v"
#endif

// `rounds` times kChains of `step(sum, a, b)`, of so many operations each; returns how many that
// was. As many chains as hide the instruction's latency. The empty assembly keeps the compiler from
// seeing that the factors are constant, and from dropping a round.
template <int kChains, class Sum, class Factor, class Step>
inline double run_peak(int64_t rounds, int operations, Factor a, Factor b, Step step) {
  Sum chains[kChains] = {};
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i) {
      asm volatile("" : HYMT_IN_REGISTER(a), HYMT_IN_REGISTER(b));
      chains[i] = step(chains[i], a, b);
      asm volatile("" : HYMT_IN_REGISTER(chains[i]));
    }
  }
  return static_cast<double>(rounds) * kChains * operations;
}

#undef HYMT_IN_REGISTER

}  // namespace
}  // namespace hymt::cpu
