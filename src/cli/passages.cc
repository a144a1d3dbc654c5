#include "cli/passages.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace hymt::cli {
namespace {

// What the sinks (engine's thread) have heard and the caller has not taken yet.
struct Inbox {
  std::mutex mutex;
  std::condition_variable news;
};

class PassageSink final : public translate::Sink {
 public:
  explicit PassageSink(std::shared_ptr<Inbox> inbox) : inbox_(std::move(inbox)) {}

  void on_delta(size_t, std::string_view text) override {
    const std::lock_guard<std::mutex> lock(inbox_->mutex);
    text_ += text;
    inbox_->news.notify_one();
  }
  void on_translation(size_t, const translate::Translation&) override {}
  void on_finish(const Result<translate::Reply>& reply) override {
    const std::lock_guard<std::mutex> lock(inbox_->mutex);
    reply_ = reply;
    inbox_->news.notify_one();
  }

  // Waits for more; empty once all text has been taken.
  std::string take() {
    std::unique_lock<std::mutex> lock(inbox_->mutex);
    inbox_->news.wait(lock, [this] { return !text_.empty() || reply_; });
    return std::exchange(text_, {});
  }
  const Result<translate::Reply>& reply() const { return *reply_; }  // after take() was empty

 private:
  const std::shared_ptr<Inbox> inbox_;
  std::string text_;
  std::optional<Result<translate::Reply>> reply_;
};

struct UnderWay {
  std::shared_ptr<PassageSink> sink;
  std::unique_ptr<translate::Ticket> ticket;
  size_t bytes;
};

void add(translate::Translation& whole, const translate::Translation& part) {
  whole.text += part.text;
  whole.finish_reason = translate::worse(whole.finish_reason, part.finish_reason);
  for (const auto& warning : part.warnings) {
    auto& all = whole.warnings;
    if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
  }
}

}  // namespace

std::vector<std::string_view> passages(std::string_view text, size_t size) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    size_t end = text.size();
    if (text.size() > size) {
      // The last line break that keeps it small, else the first one at all.
      size_t line = text.rfind('\n', size - 1);
      if (line == std::string_view::npos) line = text.find('\n');
      if (line != std::string_view::npos) end = line + 1;
    }
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  if (out.empty()) out.emplace_back();
  return out;
}

Result<translate::Reply> translate_long(translate::Facade& facade, translate::Request request,
                                        std::string_view text, const Events& events) {
  constexpr size_t kPassageBytes = 2048;
  constexpr size_t kBytesUnderWay = 16 * 1024;  // enough lines to keep a batch full
  const bool detect = request.source == "auto";
  if (detect) {
    const auto detection = facade.detect(text);
    const auto& known = facade.info().languages;
    const auto is_it = [&](const translate::Language* l) { return l->code == detection.language; };
    if (std::any_of(known.begin(), known.end(), is_it)) request.source = detection.language;
  }

  translate::Reply whole;
  auto& answer = whole.translations.emplace_back();
  const auto inbox = std::make_shared<Inbox>();
  const auto all = passages(text, kPassageBytes);
  std::deque<UnderWay> under_way;
  size_t begun = 0, bytes_under_way = 0, bytes_done = 0;
  while (begun < all.size() || !under_way.empty()) {
    while (begun < all.size() && (under_way.empty() || bytes_under_way < kBytesUnderWay)) {
      request.texts = {std::string(all[begun])};
      auto sink = std::make_shared<PassageSink>(inbox);
      auto ticket = HYMT_TRY(facade.translate(request, sink));
      bytes_under_way += all[begun].size();
      under_way.push_back({std::move(sink), std::move(ticket), all[begun].size()});
      ++begun;
    }
    UnderWay& first = under_way.front();
    for (auto piece = first.sink->take(); !piece.empty(); piece = first.sink->take()) {
      events.on_text(piece);
    }
    const auto& reply = first.sink->reply();
    if (!reply) return tl::unexpected<Error>(reply.error());
    add(answer, reply->translations.front());
    answer.source = reply->translations.front().source;
    whole.model = reply->model;
    whole.usage.input_tokens += reply->usage.input_tokens;
    whole.usage.output_tokens += reply->usage.output_tokens;
    bytes_done += first.bytes;
    bytes_under_way -= first.bytes;
    events.on_progress(bytes_done, text.size());
    under_way.pop_front();
  }
  answer.detected = detect;
  return whole;
}

}  // namespace hymt::cli
