// A progress bar on standard error, where that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace hymt::cli {

// Draws at most ten times a second and clears its line at the end. One thread.
class Progress {
 public:
  Progress(std::string what, size_t total, bool wanted = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set(size_t done);

 private:
  void draw(size_t done) const;

  const std::string what_;
  const size_t total_;
  const bool shown_;
  const std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace hymt::cli
