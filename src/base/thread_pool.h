// A fixed pool for data-parallel work: one region at a time, all workers take part.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace hymt {

// run() may be called from any thread (callers take turns); the caller is worker 0. The workers
// spin for a bounded time between regions, then sleep: an idle pool costs no processor time.
class ThreadPool {
 public:
  // n_threads >= 1 counts the caller; where the system gives fewer, size() says how many.
  // `first_epoch` is where the count of regions begins: a test lets it run over.
  explicit ThreadPool(int n_threads, uint32_t first_epoch = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // From here on, how long callers of run() waited for the other workers after their own part.
  void measure_waiting() { measures_waiting_ = true; }
  double waited_seconds() const { return waited_seconds_; }

  // Calls f(worker) for worker in [0, size()) in parallel and returns when all have returned.
  // f must not throw and must not call run().
  template <class F>
  void run(F&& f) {
    run_raw([](void* context,
               int worker) { (*static_cast<std::remove_reference_t<F>*>(context))(worker); },
            const_cast<void*>(static_cast<const void*>(&f)));
  }

 private:
  using Function = void (*)(void*, int);
  void run_raw(Function function, void* context);
  void work(int worker, uint32_t seen);

  std::mutex turn_;  // one region at a time
  bool measures_waiting_ = false;
  double waited_seconds_ = 0;
  // What a worker reads lies in one cache line, so that it travels once.
  alignas(64) std::atomic<uint32_t> epoch_;  // counts regions, over and over
  std::atomic<bool> end_{false};
  Function function_ = nullptr;
  void* context_ = nullptr;
  alignas(64) std::atomic<uint32_t> busy_{0};  // workers still in the region
  std::vector<std::thread> threads_;
};

// The half-open range of `count` items that `worker` of `n_workers` takes, in units of `grain`.
struct Share {
  int begin;
  int end;
};
inline Share share_of(int count, int worker, int n_workers, int grain = 1) {
  const int64_t units = (count + grain - 1) / grain;
  const auto begin = static_cast<int>(units * worker / n_workers) * grain;
  const auto end = static_cast<int>(units * (worker + 1) / n_workers) * grain;
  return {begin < count ? begin : count, end < count ? end : count};
}

}  // namespace hymt
