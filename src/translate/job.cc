#include "translate/job.h"

#include <algorithm>
#include <utility>

#include "translate/answer_stream.h"

namespace hymt::translate {
namespace {

using engine::FinishReason;

}  // namespace

struct Job::Leg {
  size_t text;
  size_t paragraph;
  int variant;
  AnswerStream stream;
  std::string answer = {};               // as far as it is final
  size_t told = 0;                       // bytes of it that were given out
  std::vector<std::string> others = {};  // beams: further candidates, best first
  FinishReason reason = FinishReason::stop;
  bool stopped = false;   // by a stop string
  bool recalled = false;  // nothing was computed for it
  bool done = false;
  bool expired = false;  // its deadline passed before it was begun
};

struct Job::Text {
  size_t first_leg = 0;
  size_t n_open = 0;      // legs not done
  size_t told = 0;        // paragraphs that were given out whole
  bool gap_told = false;  // what lies before paragraph `told`
};

class Job::Ear final : public memory::Listener {
 public:
  Ear(std::shared_ptr<Job> job, size_t leg) : job_(std::move(job)), leg_(leg) {}

  void on_token(engine::Token token, const engine::TokenLogprobs*) override {
    job_->on_token(leg_, token);
  }
  void on_finish(const engine::Finish& finish) override { job_->on_finish(leg_, finish); }
  void on_recall(const engine::Finish& finish) override { job_->on_recall(leg_, finish); }
  void on_error(const Error& error) override { job_->on_error(leg_, error); }

 private:
  const std::shared_ptr<Job> job_;
  const size_t leg_;
};

Job::Job(JobPlan plan, const tokenizer::Tokenizer& tokenizer, memory::Memory& memory,
         std::shared_ptr<Sink> sink)
    : plan_(std::move(plan)),
      tokenizer_(tokenizer),
      flight_(memory, plan_.requests.size()),
      sink_(std::move(sink)) {
  for (size_t text = 0; text < plan_.drafts.size(); ++text) {
    texts_.push_back({.first_leg = legs_.size()});
    for (size_t paragraph = 0; paragraph < plan_.drafts[text].paragraphs.size(); ++paragraph) {
      for (int variant = 0; variant < plan_.variants; ++variant) {
        legs_.push_back({text, paragraph, variant, AnswerStream(tokenizer, plan_.stops)});
      }
    }
    texts_.back().n_open = legs_.size() - texts_.back().first_leg;
    if (texts_.back().n_open > 0) ++n_open_texts_;
  }
  for (const auto& request : plan_.requests) {
    usage_.input_tokens += static_cast<int>(request.prompt.size());
  }
}

Job::~Job() = default;

Result<void> Job::start(memory::Memory& memory) {
  if (plan_.requests.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    finish_if_complete();
    return {};
  }
  std::vector<memory::Ask> asks;
  asks.reserve(plan_.requests.size());
  for (auto& request : plan_.requests) {
    auto ear = std::make_shared<Ear>(shared_from_this(), asks.size());
    asks.push_back({std::move(request), std::move(ear), plan_.recall, plan_.remember});
  }
  // From here on the listeners may be called, before and while we go on.
  flight_.launched(HYMT_TRY(memory.submit(std::move(asks))));
  return {};
}

void Job::on_token(size_t index, engine::Token token) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Leg& leg = legs_[index];
  if (!sink_ || leg.done || plan_.beams) return;
  tell_untranslated();
  ++usage_.output_tokens;
  const std::string more = leg.stream.push(token);
  leg.answer += more;
  if (leg.stream.stopped()) {
    flight_.cancel(index);
    land(index, FinishReason::stop);
  } else if (leg.variant == 0 && !more.empty()) {
    tell_deltas(leg.text);
  }
}

void Job::on_finish(size_t index, const engine::Finish& finish) {
  flight_.landed(index);
  const std::lock_guard<std::mutex> lock(mutex_);
  Leg& leg = legs_[index];
  if (!sink_ || leg.done) return;
  tell_untranslated();
  FinishReason reason = finish.candidates.front().reason;
  if (plan_.beams) {
    take_candidates(leg, finish.candidates);
  } else {
    leg.answer += leg.stream.finish();
    leg.stopped = leg.stream.stopped();
  }
  if (leg.stopped) reason = FinishReason::stop;
  land(index, reason);
}

void Job::on_recall(size_t index, const engine::Finish& finish) {
  flight_.landed(index);
  const std::lock_guard<std::mutex> lock(mutex_);
  Leg& leg = legs_[index];
  if (!sink_ || leg.done) return;
  tell_untranslated();
  leg.recalled = true;
  if (plan_.beams) {
    take_candidates(leg, finish.candidates);
  } else {
    for (const auto token : finish.candidates.front().tokens) {
      ++usage_.output_tokens;
      leg.answer += leg.stream.push(token);
      if (leg.stream.stopped()) break;
    }
    if (!leg.stream.stopped()) leg.answer += leg.stream.finish();
    leg.stopped = leg.stream.stopped();
  }
  land(index, leg.stopped ? FinishReason::stop : finish.candidates.front().reason);
}

void Job::on_error(size_t index, const Error& error) {
  flight_.landed(index);
  const std::lock_guard<std::mutex> lock(mutex_);
  Leg& leg = legs_[index];
  if (!sink_ || leg.done) return;
  if (error.code == Code::deadline) {
    leg.expired = true;
    return land(index, FinishReason::deadline);
  }
  flight_.cancel_all();
  finish(tl::unexpected<Error>(error));
}

Job::Leg& Job::leg_of(size_t text, size_t paragraph, int variant) {
  const auto variants = static_cast<size_t>(plan_.variants);
  return legs_[texts_[text].first_leg + paragraph * variants + static_cast<size_t>(variant)];
}

void Job::take_candidates(Leg& leg, const std::vector<engine::Candidate>& candidates) {
  for (const auto& candidate : candidates) {
    AnswerStream stream(tokenizer_, plan_.stops);
    std::string answer;
    for (const auto token : candidate.tokens) answer += stream.push(token);
    answer += stream.finish();
    if (&candidate == &candidates.front()) {
      usage_.output_tokens += static_cast<int>(candidate.tokens.size());
      leg.answer = std::move(answer);
      leg.stopped = stream.stopped();
    } else {
      leg.others.push_back(std::move(answer));
    }
  }
}

void Job::land(size_t index, FinishReason reason) {
  Leg& leg = legs_[index];
  leg.done = true;
  leg.reason = reason;
  // Of a text that was not begun nothing is told before it is known whether any other was: if none
  // was, all that is heard is the error.
  if (leg.variant == 0 && !leg.expired) tell_deltas(leg.text);
  if (--texts_[leg.text].n_open > 0) return;
  complete(leg.text);
  finish_if_complete();
}

// Texts in which there is nothing to translate: told before anything else.
void Job::tell_untranslated() {
  if (std::exchange(untranslated_told_, true)) return;
  for (size_t text = 0; text < texts_.size(); ++text) {
    if (plan_.drafts[text].paragraphs.empty()) complete(text);
  }
}

// What is new and final of a text, in order: a paragraph's words wait until the one before is
// complete; what lies before a paragraph comes with its first words.
void Job::tell_deltas(size_t index) {
  Text& text = texts_[index];
  const Draft& draft = plan_.drafts[index];
  const size_t n = draft.paragraphs.size();
  std::string delta;
  while (text.told <= n) {
    Leg* const leg = text.told < n ? &leg_of(index, text.told, 0) : nullptr;
    if (leg && leg->answer.empty() && !leg->done) break;
    if (!text.gap_told) {
      const size_t begin = text.told > 0 ? draft.paragraphs[text.told - 1].end : 0;
      const size_t end = leg ? draft.paragraphs[text.told].begin : draft.text.size();
      delta.append(draft.text, begin, end - begin);
      text.gap_told = true;
    }
    if (leg) {
      delta.append(leg->answer, leg->told);
      leg->told = leg->answer.size();
      if (!leg->done) break;
    }
    ++text.told;
    text.gap_told = false;
  }
  if (!delta.empty()) sink_->on_delta(index, delta);
}

void Job::complete(size_t index) {
  const auto first = legs_.begin() + static_cast<std::ptrdiff_t>(texts_[index].first_leg);
  const auto n =
      static_cast<std::ptrdiff_t>(plan_.drafts[index].paragraphs.size()) * plan_.variants;
  if (n > 0) --n_open_texts_;
  if (n > 0 && std::all_of(first, first + n, [](const Leg& leg) { return leg.expired; })) {
    expired_.push_back(index);
    return;
  }
  produced_ = produced_ || n > 0;
  tell_deltas(index);  // up to its end, also where its last paragraphs were not begun
  tell_translation(index);
}

void Job::tell_translation(size_t index) {
  Translation& answer = plan_.drafts[index].answer;
  answer.text = assembled(index, 0);
  for (size_t p = 0; p < plan_.drafts[index].paragraphs.size(); ++p) {
    answer.finish_reason = worse(answer.finish_reason, leg_of(index, p, 0).reason);
  }
  const bool translated = !plan_.drafts[index].paragraphs.empty();
  answer.cached = translated && recalled(index);
  for (int i = 1; translated && i <= plan_.alternatives; ++i) {
    std::string other = assembled(index, i);
    auto& all = answer.alternatives;
    if (other == answer.text || std::find(all.begin(), all.end(), other) != all.end()) continue;
    all.push_back(std::move(other));
  }
  sink_->on_translation(index, answer);
}

// Whether all of a text was remembered.
bool Job::recalled(size_t index) {
  const size_t n = plan_.drafts[index].paragraphs.size() * static_cast<size_t>(plan_.variants);
  const auto first = legs_.begin() + static_cast<std::ptrdiff_t>(texts_[index].first_leg);
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(n),
                     [](const Leg& leg) { return leg.recalled; });
}

// With beams a paragraph may have fewer candidates than others: its best one then stands again.
std::string Job::assembled(size_t index, int variant) {
  const Draft& draft = plan_.drafts[index];
  std::vector<std::string> answers;
  for (size_t p = 0; p < draft.paragraphs.size(); ++p) {
    const Leg& leg = leg_of(index, p, plan_.beams ? 0 : variant);
    const auto other = static_cast<size_t>(variant);
    const bool has_other = plan_.beams && variant > 0 && other <= leg.others.size();
    answers.push_back(has_other ? leg.others[other - 1] : leg.answer);
  }
  return put_back(draft.text, draft.paragraphs, answers);
}

void Job::finish_if_complete() {
  if (!sink_ || n_open_texts_ > 0) return;
  if (!expired_.empty() && !produced_) {
    return finish(fail(Code::deadline, "the deadline passed before the translation was begun",
                       "deadline_ms"));
  }
  tell_untranslated();
  for (const size_t text : expired_) {
    tell_deltas(text);
    tell_translation(text);
  }
  Reply reply;
  for (auto& draft : plan_.drafts) reply.translations.push_back(draft.answer);
  reply.model = plan_.model;
  reply.usage = usage_;
  finish(reply);
}

void Job::finish(const Result<Reply>& reply) {
  const auto sink = std::move(sink_);
  sink_ = nullptr;
  sink->on_finish(reply);
}

}  // namespace hymt::translate
