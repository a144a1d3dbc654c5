#include <condition_variable>
#include <mutex>
#include <optional>

#include "translate/translator.h"

namespace hymt::translate {
namespace {

class WaitingSink final : public Sink {
 public:
  void on_delta(size_t, std::string_view) override {}
  void on_translation(size_t, const Translation&) override {}
  void on_finish(const Result<Reply>& reply) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    reply_ = reply;
    finished_.notify_all();
  }

  Result<Reply> wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [this] { return reply_.has_value(); });
    return *std::move(reply_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  std::optional<Result<Reply>> reply_;
};

}  // namespace

Result<Reply> translate_and_wait(Facade& facade, const Request& request) {
  const auto sink = std::make_shared<WaitingSink>();
  const auto ticket = HYMT_TRY(facade.translate(request, sink));
  return sink->wait();
}

}  // namespace hymt::translate
