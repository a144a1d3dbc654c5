// Waiting for SIGINT and SIGTERM in one place, instead of handlers that may run in any.
#pragma once

namespace hymt::cli {

// Make one before any other thread: threads inherit the blocked signals. The destructor does not
// unblock them.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Until a signal arrives (its number) or ring() is called (0).
  int wait();
  void ring();  // any thread

 private:
  int signals_;  // signalfd
  int bell_;     // eventfd
};

}  // namespace hymt::cli
