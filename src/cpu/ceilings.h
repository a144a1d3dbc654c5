// What the machine can do at the most, measured: the yardstick of `hymt bench`.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/thread_pool.h"
#include "cpu/kernels/kernels.h"

namespace hymt::cpu {

struct Ceilings {
  double operations_per_second[kFormats];  // multiply-adds of a format (two each), all threads
  double bytes_per_second;                 // read from memory, all threads
  double handover_seconds;  // from one thread's writing a word until another has seen it; 0: alone
};

// Of operations only. `kernels` as in cpu::Options. Takes half a second, in which nothing else
// should use the pool. unsupported if the table is.
Result<Ceilings> measure_operations(std::string_view kernels, ThreadPool& pool);

// The rest; a measure of its own, because on lent cores it changes within minutes. Takes as long,
// and 512 MiB, which it gives back; unavailable if there is not so much.
Result<void> measure_memory(Ceilings& ceilings, ThreadPool& pool);

}  // namespace hymt::cpu
