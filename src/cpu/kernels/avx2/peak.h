// Peaks on registers of 256 bits, for the tables that have these. Internal linkage, see panels.h.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/lanes/peak.h"

namespace hymt::cpu {
namespace {

template <class Sum, class Step>
inline double run(int64_t rounds, int operations, Step step) {
  return run_peak<10, Sum>(rounds, operations, _mm256_set1_epi8(3), _mm256_set1_epi8(2), step);
}

}  // namespace
}  // namespace hymt::cpu
