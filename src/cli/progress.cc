#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace hymt::cli {

Progress::Progress(std::string what, size_t total, bool wanted)
    : what_(std::move(what)),
      total_(total),
      shown_(wanted && total > 0 && ::isatty(STDERR_FILENO) != 0),
      begun_(std::chrono::steady_clock::now()),
      next_(begun_) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::set(size_t done) {
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  draw(done);
}

void Progress::draw(size_t done) const {
  constexpr size_t kWidth = 30;
  const double part = static_cast<double>(done) / static_cast<double>(total_);
  const auto filled = static_cast<size_t>(part * kWidth);
  std::string bar(filled, '#');
  bar.resize(kWidth, '.');
  const auto elapsed = std::chrono::steady_clock::now() - begun_;
  const double seconds = std::chrono::duration<double>(elapsed).count();
  std::fprintf(stderr, "\r%s [%s] %3.0f%%", what_.c_str(), bar.c_str(), 100 * part);
  if (part > 0.02) std::fprintf(stderr, ", %.0f s left", seconds / part - seconds);
  std::fputs("\033[K", stderr);
}

}  // namespace hymt::cli
