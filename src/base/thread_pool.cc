#include "base/thread_pool.h"

#include <chrono>
#include <system_error>

#include "base/check.h"

namespace hymt {
namespace {

using Clock = std::chrono::steady_clock;

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

ThreadPool::ThreadPool(int n_threads, uint32_t first_epoch) : epoch_(first_epoch) {
  HYMT_CHECK(n_threads >= 1);
  try {
    for (int worker = 1; worker < n_threads; ++worker) {
      threads_.emplace_back([this, worker, first_epoch] { work(worker, first_epoch); });
    }
  } catch (const std::system_error&) {  // the system has no more: those that there are will do
  }
}

ThreadPool::~ThreadPool() {
  end_.store(true, std::memory_order_relaxed);  // published by the epoch
  epoch_.fetch_add(1, std::memory_order_release);
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
  const auto start = measures_waiting_ ? Clock::now() : Clock::time_point();
  for (uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;) {
    busy = await_change(busy_, busy);
  }
  if (measures_waiting_) {
    waited_seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  }
}

void ThreadPool::work(int worker, uint32_t seen) {
  for (;;) {
    const uint32_t epoch = await_change(epoch_, seen);
    if (epoch == seen) continue;
    if (end_.load(std::memory_order_relaxed)) return;
    seen = epoch;
    function_(context_, worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace hymt
