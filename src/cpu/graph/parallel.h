// How work is shared out between the pool's workers. Who does what never changes a result.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/thread_pool.h"

namespace hymt::cpu {

// Waking the others and waiting for them costs about as much as this many element operations; a
// product does about 16 multiply-adds in the time of one.
inline constexpr int64_t kWorthSharing = 16384;
inline int64_t product_work(int64_t n_rows, int64_t n_outputs, int64_t n_columns) {
  return n_rows * n_outputs * n_columns / 16;
}

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

// Calls f(begin, end, worker) for ranges that cover [0, count), each of whole grains (the last
// aside). A worker has three quarters of its share for sure, as one range that streams
// well; the rest goes in small pieces to whoever is free, so that all finish together even if one
// was held up. Too little work to share is done by the caller. `next` is the caller's, for this
// purpose alone.
template <class F>
void for_ranges(ThreadPool& pool, std::atomic<int>& next, int count, int grain, int64_t work,
                F&& f) {
  const int n_workers = pool.size();
  if (n_workers == 1 || work < kWorthSharing) return f(0, count, 0);
  const int fixed = count * 3 / 4 / grain * grain;
  const int piece = std::max(1, (count - fixed) / (4 * n_workers * grain)) * grain;
  next.store(fixed, std::memory_order_relaxed);
  pool.run([&](int worker) {
    const Share share = share_of(fixed, worker, n_workers, grain);
    if (share.begin < share.end) f(share.begin, share.end, worker);
    for (int begin; (begin = next.fetch_add(piece, std::memory_order_relaxed)) < count;) {
      f(begin, std::min(begin + piece, count), worker);
    }
  });
}

}  // namespace hymt::cpu
