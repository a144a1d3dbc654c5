#include "cli/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "base/check.h"

namespace hymt::cli {

Signals::Signals() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a log whose reader has gone must not end the service
  signals_ = signalfd(-1, &ends, SFD_CLOEXEC);
  bell_ = eventfd(0, EFD_CLOEXEC);
  HYMT_CHECK(signals_ >= 0 && bell_ >= 0);
}

Signals::~Signals() {
  ::close(signals_);
  ::close(bell_);
}

int Signals::wait() {
  while (true) {
    pollfd watched[] = {{signals_, POLLIN, 0}, {bell_, POLLIN, 0}};
    ::poll(watched, 2, -1);
    signalfd_siginfo signal{};
    if ((watched[0].revents & POLLIN) &&
        ::read(signals_, &signal, sizeof signal) == sizeof signal) {
      return static_cast<int>(signal.ssi_signo);
    }
    uint64_t rings = 0;
    if ((watched[1].revents & POLLIN) && ::read(bell_, &rings, sizeof rings) == sizeof rings) {
      return 0;
    }
  }
}

void Signals::ring() {
  const uint64_t once = 1;
  // Fails only if 2^64 - 2 rings are waiting.
  [[maybe_unused]] const auto written = ::write(bell_, &once, sizeof once);
}

}  // namespace hymt::cli
