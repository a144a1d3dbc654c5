// How work is shared out between the pool's workers. Who does what never changes a result.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

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

// Shares out ranges that are best read front to back: a worker goes through its own part of
// [0, count) in pieces, so that memory sees one stream from it; who is done takes pieces of the
// others' parts, so that all finish together even if one was held up.
class SharedRanges {
 public:
  explicit SharedRanges(int n_workers) : parts_(std::make_unique<Part[]>(n_workers)) {}

  // Calls f(begin, end, worker) for ranges that cover [0, count), each of whole grains (the last
  // aside). Too little work to share is done by the caller.
  template <class F>
  void run(ThreadPool& pool, int count, int grain, int64_t work, F&& f) {
    constexpr int kPieces = 16;  // of a part
    const int n_workers = pool.size();
    if (n_workers == 1 || work < kWorthSharing) return f(0, count, 0);
    const int piece = std::max(1, count / (kPieces * n_workers * grain)) * grain;
    for (int worker = 0; worker < n_workers; ++worker) {
      const Share share = share_of(count, worker, n_workers, grain);
      parts_[worker].next.store(share.begin, std::memory_order_relaxed);
      parts_[worker].end = share.end;
    }
    pool.run([&](int worker) {
      for (int i = 0; i < n_workers; ++i) {
        Part& part = parts_[(worker + i) % n_workers];
        for (int begin;
             (begin = part.next.fetch_add(piece, std::memory_order_relaxed)) < part.end;) {
          f(begin, std::min(begin + piece, part.end), worker);
        }
      }
    });
  }

 private:
  struct alignas(64) Part {
    std::atomic<int> next{0};
    int end = 0;
  };
  std::unique_ptr<Part[]> parts_;
};

}  // namespace hymt::cpu
