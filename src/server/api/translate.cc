// POST /v1/translate: from the body to the translator, and its words back, whole or streamed.
#include <random>
#include <utility>

#include "server/api/errors.h"
#include "server/api/events.h"
#include "server/api/reply.h"
#include "server/api/routes.h"
#include "server/api/translate_request.h"

namespace hymt::server::api {
namespace {

using http::Exchange;

// The whole answer at once.
class PlainSink final : public translate::Sink {
 public:
  explicit PlainSink(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  void on_delta(size_t, std::string_view) override {}
  void on_translation(size_t, const translate::Translation&) override {}
  void on_finish(const Result<translate::Reply>& reply) override {
    if (!reply) return exchange_->fail(reply.error());
    exchange_->respond_by([reply = *reply] { return json_reply(to_json(reply)); });
  }

 private:
  std::shared_ptr<Exchange> exchange_;
};

// Events as they come. The status line waits for the first of them, so that what fails before
// (a deadline in the queue) still fails with its own status.
class StreamSink final : public translate::Sink {
 public:
  explicit StreamSink(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  void on_delta(size_t index, std::string_view text) override {
    send({{"index", index}, {"delta", text}});
  }
  void on_translation(size_t index, const translate::Translation& translation) override {
    Json event = to_json(translation);
    event["index"] = index;
    event["done"] = true;
    send(event);
  }
  void on_finish(const Result<translate::Reply>& reply) override {
    if (!reply) return exchange_->fail(reply.error());
    start();
    exchange_->write(kDone);
    exchange_->finish();
  }

 private:
  void start() {
    if (!std::exchange(started_, true)) exchange_->start(stream_head());
  }
  void send(const Json& event) {
    start();
    exchange_->write(event_of(event));
  }

  std::shared_ptr<Exchange> exchange_;
  bool started_ = false;
};

// What a request needs while it is answered: the model stays as long as the request.
struct Work {
  std::shared_ptr<translate::Facade> facade;
  std::unique_ptr<translate::Ticket> ticket;  // destroyed first
};

bool names(const std::string& wanted, const std::string& model) {
  return !model.empty() && http::equal_ignoring_case(wanted, model);
}

Result<void> check_model(const TranslateCall& call, const translate::ModelInfo& info,
                         const Context& context) {
  if (call.model.empty() || names(call.model, info.name) || names(call.model, context.alias)) {
    return {};
  }
  return fail(Code::not_found, "no such model here: GET /v1/models lists what is loaded", "model");
}

void complete(TranslateCall& call, const translate::ModelInfo& info) {
  engine::Params& params = call.request.params;
  if (call.recommended) {
    const auto& card = info.recommended;
    if (!call.temperature) params.temperature = card.temperature;
    if (!call.top_k) params.top_k = card.top_k;
    if (!call.top_p) params.top_p = card.top_p;
    if (!call.repetition_penalty) params.repetition_penalty = card.repetition_penalty;
  }
  // Who samples without a seed wants another answer each time.
  if (params.temperature > 0 && !call.seeded) {
    params.seed = std::random_device()();
    call.request.recall = call.request.remember = false;
  }
}

// What the client allows of memory (RFC 9111, 5.2.1): no-cache asks for an answer computed now,
// no-store also for one that is kept from others.
void obey_cache_control(std::string_view header, translate::Request& request) {
  while (!header.empty()) {
    const size_t end = std::min(header.find(','), header.size());
    const auto directive = http::trimmed(header.substr(0, end));
    header.remove_prefix(std::min(end + 1, header.size()));
    const bool no_store = http::equal_ignoring_case(directive, "no-store");
    if (no_store || http::equal_ignoring_case(directive, "no-cache")) request.recall = false;
    if (no_store) request.remember = false;
  }
}

Result<std::shared_ptr<Work>> begin(const std::shared_ptr<Exchange>& exchange,
                                    const Context& context) {
  auto facade = HYMT_TRY(context.backend.current());
  const Json body = HYMT_TRY(read_object(exchange->request()));
  TranslateCall call = HYMT_TRY(parse_translate(body));
  HYMT_TRY(check_model(call, facade->info(), context));
  complete(call, facade->info());
  for (const auto& [name, value] : exchange->request().headers) {
    if (http::equal_ignoring_case(name, "Cache-Control")) obey_cache_control(value, call.request);
  }
  call.request.client = exchange->request().client;
  call.request.deadline = exchange->request().arrived + call.deadline.value_or(context.deadline);
  exchange->expect_by(*call.request.deadline);

  std::shared_ptr<translate::Sink> sink;
  if (call.stream) {
    sink = std::make_shared<StreamSink>(exchange);
  } else {
    sink = std::make_shared<PlainSink>(exchange);
  }
  auto ticket = HYMT_TRY(facade->translate(call.request, std::move(sink)));
  return std::make_shared<Work>(Work{std::move(facade), std::move(ticket)});
}

}  // namespace

void add_translate(http::Site& site, const Context& context) {
  const auto answer = [&context](const std::shared_ptr<Exchange>& exchange) {
    auto work = begin(exchange, context);
    if (work) {
      exchange->hold(*std::move(work));
    } else {
      exchange->fail(work.error());
    }
  };
  site.add(http::Route{"POST", "/v1/translate", answer, &kNativeErrors, true});
}

}  // namespace hymt::server::api
