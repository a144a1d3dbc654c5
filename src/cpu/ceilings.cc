#include "cpu/ceilings.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "cpu/buffer.h"
#include "cpu/kernels/dispatch.h"

namespace hymt::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Each measure is the best of so many: a ceiling is what the machine does when nothing disturbs it.
constexpr int kAttempts = 5;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double peak_rate(double (*peak)(int64_t), ThreadPool& pool) {
  constexpr double kSeconds = 0.02;
  int64_t rounds = 1 << 10;
  for (;; rounds *= 2) {
    const auto start = Clock::now();
    peak(rounds);
    if (seconds_since(start) > kSeconds) break;
  }
  double best = 0;
  std::vector<double> operations(static_cast<size_t>(pool.size()));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto start = Clock::now();
    pool.run([&](int worker) { operations[static_cast<size_t>(worker)] = peak(rounds); });
    const double seconds = seconds_since(start);
    double total = 0;
    for (const double n : operations) total += n;
    best = std::max(best, total / seconds);
  }
  return best;
}

// The sum of a range of memory, eight lines at a time, asked for well ahead.
uint64_t read(const uint64_t* words, size_t n) {
  constexpr size_t kStep = 64;
  constexpr size_t kAhead = 512;
  uint64_t sums[8] = {};
  for (size_t i = 0; i + kStep <= n; i += kStep) {
    for (size_t j = 0; j < kStep; j += 8) {
      __builtin_prefetch(words + i + j + kAhead);
      for (size_t k = 0; k < 8; ++k) sums[k] += words[i + j + k];
    }
  }
  uint64_t sum = 0;
  for (const uint64_t s : sums) sum += s;
  return sum;
}

Result<double> read_rate(ThreadPool& pool) {
  constexpr size_t kBytes = size_t{512} << 20;  // far more than caches hold
  constexpr size_t kWords = kBytes / sizeof(uint64_t);
  auto memory = HYMT_TRY(Buffer<uint64_t>::allocate(kWords, "measuring the memory's speed"));
  const auto part = [&](int worker) {
    return share_of(static_cast<int>(kWords >> 9), worker, pool.size());
  };
  // Written by who reads it: on its own memory node, where there are several.
  pool.run([&](int worker) {
    const Share share = part(worker);
    std::fill(memory.data() + (static_cast<size_t>(share.begin) << 9),
              memory.data() + (static_cast<size_t>(share.end) << 9), uint64_t{1});
  });
  std::vector<uint64_t> sums(static_cast<size_t>(pool.size()) * 8);
  double best = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto start = Clock::now();
    pool.run([&](int worker) {
      const Share share = part(worker);
      volatile uint64_t& sum = sums[static_cast<size_t>(worker) * 8];
      sum = read(memory.data() + (static_cast<size_t>(share.begin) << 9),
                 static_cast<size_t>(share.end - share.begin) << 9);
    });
    best = std::max(best, static_cast<double>(kBytes) / seconds_since(start));
  }
  return best;
}

// A ball between workers 0 and 1: the median flight of several games.
double handover(ThreadPool& pool) {
  if (pool.size() < 2) return 0;
  constexpr int kFlights = 2000;
  constexpr int kLost = -1;  // the game is over: more threads than cores would play for minutes
  constexpr double kLongest = 0.05;
  alignas(64) std::atomic<int> ball{0};
  std::vector<double> games(kAttempts);
  for (double& seconds : games) {
    ball = 0;
    pool.run([&](int worker) {
      if (worker > 1) return;
      const auto start = Clock::now();
      int flight = worker;
      for (; flight < kFlights; flight += 2) {
        int seen = ball.load(std::memory_order_acquire);
        while (seen != flight && seen != kLost) seen = ball.load(std::memory_order_acquire);
        const bool over = seen == kLost || (worker == 1 && seconds_since(start) > kLongest);
        ball.store(over ? kLost : flight + 1, std::memory_order_release);
        if (over) break;
      }
      if (worker == 1) seconds = seconds_since(start) / flight;
    });
  }
  std::nth_element(games.begin(), games.begin() + kAttempts / 2, games.end());
  return games[kAttempts / 2];
}

}  // namespace

Result<Ceilings> measure_operations(std::string_view name, ThreadPool& pool) {
  const Kernels kernels = HYMT_TRY(find_kernels(name));
  Ceilings ceilings = {};
  for (int format = 0; format < kFormats; ++format) {
    ceilings.operations_per_second[format] = peak_rate(kernels.peak[format], pool);
  }
  return ceilings;
}

Result<void> measure_memory(Ceilings& ceilings, ThreadPool& pool) {
  ceilings.bytes_per_second = HYMT_TRY(read_rate(pool));
  ceilings.handover_seconds = handover(pool);
  return {};
}

}  // namespace hymt::cpu
