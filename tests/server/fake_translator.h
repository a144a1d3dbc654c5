// A translator without a model: answers "<target>:<text>", a few bytes at a time, on a thread of
// its own, as an engine would; and can be told to stall, to fail, or never to end.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "translate/facade.h"

namespace hymt::test {

class FakeTranslator final : public translate::Facade {
 public:
  struct Script {
    std::optional<Error> refuse;  // what translate() returns
    std::optional<Error> fail;    // what ends a request, after its first delta if `late`
    bool late = false;
    bool held = false;     // nothing moves
    bool endless = false;  // deltas without end
    size_t delta = 4;      // bytes of a delta (whole characters)
    bool busy = false;     // translate() itself does not return
    bool at_once = false;  // all is told before translate() returns, as what is remembered
  };

  FakeTranslator();
  ~FakeTranslator() override;

  void play(Script script);  // for requests from now on, and `held` for all
  template <class Change>
  void play_with(Change change) {
    Script script;
    change(script);
    play(std::move(script));
  }

  Result<std::unique_ptr<translate::Ticket>> translate(
      const translate::Request& request, std::shared_ptr<translate::Sink> sink) override;
  translate::Detection detect(std::string_view text) const override;
  const translate::ModelInfo& info() const override { return info_; }
  engine::Status status() const override { return {}; }
  void drain() override {}

  // Waits (10 s at most) until so many requests have begun, ended, or been cancelled.
  bool wait_begun(int n);
  bool wait_ended(int n);
  bool wait_cancelled(int n);
  int live();
  int begun();
  translate::Request last();  // as it arrived

 private:
  struct Job;
  struct CancelTicket;
  void run();
  bool step(Job& job);  // false: it has ended
  template <class Condition>
  bool wait(Condition condition);

  translate::ModelInfo info_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Script script_;
  std::list<std::shared_ptr<Job>> jobs_;
  int begun_ = 0, ended_ = 0, cancelled_ = 0;
  bool stop_ = false;
  translate::Request last_;
  std::thread thread_;
};

}  // namespace hymt::test
