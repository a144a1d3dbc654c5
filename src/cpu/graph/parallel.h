// How rows are shared out between the pool's workers.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"

namespace hymt::cpu {

// Waking the others and waiting for them costs about as much as this many element operations.
inline constexpr int64_t kWorthSharing = 16384;

// Calls f(row, worker) for every row; on the calling thread alone when the work is too small to
// share. `row_work`: element operations of one row.
template <class F>
void for_rows(ThreadPool& pool, int n_rows, int64_t row_work, F&& f) {
  if (n_rows == 1 || n_rows * row_work < kWorthSharing) {
    for (int row = 0; row < n_rows; ++row) f(row, 0);
    return;
  }
  pool.run([&](int worker) {
    const Share share = share_of(n_rows, worker, pool.size());
    for (int row = share.begin; row < share.end; ++row) f(row, worker);
  });
}

}  // namespace hymt::cpu
