#include "server/api/translate_request.h"

#include "server/api/fields.h"

namespace hymt::server::api {
namespace {

constexpr int64_t kMaxTokens = 262144;  // the longest context of the family
constexpr int64_t kMaxDeadline = 3'600'000;
constexpr double kSmallest = 1e-3;  // where 0 would mean a division by it

void read_texts(Fields& fields, TranslateCall& call) {
  auto texts = fields.texts("text", kMaxTexts);
  if (texts) {
    call.request.texts = std::move(*texts);
  } else {
    fields.refuse("text", "is missing");
  }
  call.request.source = fields.text("source").value_or("auto");
  call.request.target = fields.text("target").value_or("");
  if (call.request.target.empty()) fields.refuse("target", "is missing: name a language, as en");
  const auto format = fields.text("format").value_or("text");
  if (format != "text") {
    fields.refuse("format", "can only be \"text\" for now", Code::unsupported);
  }
  call.request.context = fields.text("context").value_or("");
  call.request.style = fields.text("style").value_or("");
  if (auto glossary = fields.map("glossary", kMaxGlossary)) {
    call.request.glossary = std::move(*glossary);
  }
}

template <class T, class U>
bool set(T& to, const std::optional<U>& from) {
  if (from) to = static_cast<T>(*from);
  return from.has_value();
}

void read_sampling(Fields& fields, TranslateCall& call) {
  engine::Params& params = call.request.params;
  call.recommended =
      fields.one_of("sampling", {"greedy", "recommended"}).value_or("") == "recommended";
  call.temperature = set(params.temperature, fields.number("temperature", 0, 2));
  call.top_k = set(params.top_k, fields.integer("top_k", 0, 1'000'000));
  call.top_p = set(params.top_p, fields.number("top_p", kSmallest, 1));
  call.repetition_penalty =
      set(params.repetition_penalty, fields.number("repetition_penalty", kSmallest, 10));
  call.seeded = set(params.seed, fields.natural("seed"));
}

void read_search(Fields& fields, TranslateCall& call) {
  engine::Params& params = call.request.params;
  set(call.request.alternatives, fields.integer("alternatives", 0, 8));
  set(params.beams, fields.integer("beams", 1, 8));
  set(params.length_penalty, fields.number("length_penalty", -10, 10));
  set(params.early_stopping, fields.boolean("early_stopping"));
  set(params.max_tokens, fields.integer("max_tokens", 1, kMaxTokens));
  set(params.min_tokens, fields.integer("min_tokens", 0, kMaxTokens));
  set(params.ignore_eos, fields.boolean("ignore_eos"));
  if (params.min_tokens > params.max_tokens) {
    fields.refuse("min_tokens", "is larger than max_tokens");
  }
  if (auto stop = fields.texts("stop", kMaxStops)) {
    for (const auto& text : *stop) {
      if (text.empty()) fields.refuse("stop", "must not hold an empty string");
    }
    call.request.stop = std::move(*stop);
  }
}

}  // namespace

Result<TranslateCall> parse_translate(const Json& object) {
  TranslateCall call;
  Fields fields(object);
  read_texts(fields, call);
  read_sampling(fields, call);
  read_search(fields, call);
  call.stream = fields.boolean("stream").value_or(false);
  call.model = fields.text("model").value_or("");
  if (fields.one_of("priority", {"interactive", "bulk"}).value_or("") == "bulk") {
    call.request.priority = engine::Priority::bulk;
  }
  if (const auto deadline = fields.integer("deadline_ms", 1, kMaxDeadline)) {
    call.deadline = std::chrono::milliseconds(*deadline);
  }
  HYMT_TRY(fields.done());
  return call;
}

}  // namespace hymt::server::api
