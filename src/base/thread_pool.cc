#include "base/thread_pool.h"

#include "base/check.h"

namespace hymt {
namespace {

constexpr uint32_t kEnd = 1u << 31;
constexpr int kSpins = 4000;  // some tens of microseconds, then sleep on the futex

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

// Waits until `value` differs from `old`: a bounded spin, because a partner is usually about to
// finish; then asleep, because a partner that lost its core would cost us a whole time slice.
uint32_t await_change(const std::atomic<uint32_t>& value, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    const uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(int n_threads) {
  HYMT_CHECK(n_threads >= 1);
  for (int worker = 1; worker < n_threads; ++worker) {
    threads_.emplace_back([this, worker] { work(worker); });
  }
}

ThreadPool::~ThreadPool() {
  epoch_.fetch_or(kEnd, std::memory_order_release);
  epoch_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::run_raw(Function function, void* context) {
  const std::lock_guard<std::mutex> lock(turn_);
  if (threads_.empty()) return function(context, 0);
  function_ = function;
  context_ = context;
  busy_.store(static_cast<uint32_t>(threads_.size()), std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  function(context, 0);
  for (uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;) {
    busy = await_change(busy_, busy);
  }
}

void ThreadPool::work(int worker) {
  uint32_t seen = 0;
  for (;;) {
    const uint32_t epoch = await_change(epoch_, seen);
    if (epoch & kEnd) return;
    if (epoch == seen) continue;
    seen = epoch;
    function_(context_, worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace hymt
