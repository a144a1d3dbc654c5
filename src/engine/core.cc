#include "engine/core.h"

#include <algorithm>

#include "base/check.h"
#include "engine/sampler.h"

namespace hymt::engine {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// Translations are about as long as their source; the prompt's head makes up for languages that
// need more tokens. A guess for admission only: a longer answer is computed all the same.
int expected_length(const Group& group, const Sequence& sequence) {
  const int answer = std::min(group.max_tokens, group.n_prompt);
  const int unborn_beams = group.request.params.beams - static_cast<int>(group.sequences.size());
  return std::max(sequence.length(), group.n_prompt + answer) + std::max(0, unborn_beams) * answer;
}

std::vector<Token> sorted_distinct(std::vector<Token> tokens) {
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

}  // namespace

int max_fitting_tokens(const model::Runner& runner, int beams) {
  const auto& limits = runner.limits();
  const int64_t pool = int64_t{limits.n_blocks / beams} * limits.block_tokens;
  return static_cast<int>(std::min<int64_t>(runner.config().n_context, pool));
}

Core::Core(model::Runner& runner, const CoreOptions& options, const Clock& clock, Metrics& metrics)
    : runner_(runner),
      options_{std::min(options.max_sequences, runner.limits().max_batch_asks),
               std::min(options.step_rows, runner.limits().max_batch_tokens),
               options.share_prefixes},
      clock_(clock),
      metrics_(metrics),
      blocks_(runner, options.share_prefixes) {
  const auto step_rows = static_cast<size_t>(options_.step_rows);
  tokens_.reserve(step_rows);
  asks_.reserve(step_rows);
  slices_.reserve(step_rows);
  metrics_.blocks.set(blocks_.size());
}

void Core::submit(RequestId id, Request request, std::shared_ptr<Listener> listener, Time arrived) {
  auto group = std::make_unique<Group>();
  const Params& params = request.params;
  group->id = id;
  group->n_prompt = static_cast<int>(request.prompt.size());
  group->max_tokens =
      std::min(params.max_tokens, max_fitting_tokens(runner_, params.beams) - group->n_prompt);
  group->listener = std::move(listener);
  group->arrived = arrived;
  Sequence& sequence = group->sequences.emplace_back();
  sequence.tokens = request.prompt;
  if (params.beams > 1) {
    group->beams.emplace(params);
  } else if (!params.ignore_eos && params.min_tokens == 0) {
    group->loop_guard.emplace(request.prompt);
  }
  if (params.temperature > 0 && params.repetition_penalty != 1) {
    group->seen = sorted_distinct(request.prompt);
  }
  group->request = std::move(request);
  waiting_.push(std::move(group));
}

void Core::join(RequestId id, const Caller& caller) {
  Group* const group = find(id);
  if (!group) return;
  group->request.deadline = earlier(group->request.deadline, caller.deadline);
  waiting_.join(id, caller);
}

void Core::expire(RequestId id) {
  if (Group* const group = find(id)) group->request.deadline = clock_.now();
}

Group* Core::find(RequestId id) {
  for (const auto& group : running_) {
    if (group->id == id) return group.get();
  }
  return waiting_.find(id);
}

void Core::cancel(std::vector<Cancel>& cancels) {
  std::sort(cancels.begin(), cancels.end(),
            [](const Cancel& a, const Cancel& b) { return a.id < b.id; });
  const auto end_if_unwanted = [&](Group& group) {
    const auto found = std::lower_bound(cancels.begin(), cancels.end(), group.id,
                                        [](const Cancel& a, RequestId id) { return a.id < id; });
    if (found == cancels.end() || found->id != group.id) return false;
    finish(group, FinishReason::cancelled);
    metrics_.cancel_seconds.observe(seconds(clock_.now() - found->asked));
    return true;
  };
  std::erase_if(running_, [&](const GroupPtr& group) { return end_if_unwanted(*group); });
  waiting_.take_if(end_if_unwanted);
}

void Core::cancel_all() {
  for (const auto& group : running_) finish(*group, FinishReason::cancelled);
  remove_finished();
  for (const auto& group : waiting_.take_if([](const Group&) { return true; })) {
    finish(*group, FinishReason::cancelled);
  }
}

bool Core::step() {
  end_expired();
  show_to_policy();
  const Capacity capacity{options_.step_rows, options_.max_sequences, blocks_.block_tokens(),
                          blocks_.available()};
  make_plan(running_items_, waiting_items_, capacity, plan_);
  apply(plan_);
  if (!plan_.work.empty()) compute(plan_);
  metrics_.running.set(n_running());
  metrics_.queued.set(n_queued());
  metrics_.oldest_queued.set(waiting_.oldest() ? seconds(clock_.now() - *waiting_.oldest()) : 0);
  metrics_.blocks_used.set(blocks_.size() - blocks_.available());
  return !plan_.work.empty() || !plan_.preempt.empty();
}

void Core::end_expired() {
  const Time now = clock_.now();
  const auto expired = [&](Group& group) {
    auto& deadline = group.request.deadline;
    if (deadline && *deadline <= now) deadline = group.listener->on_deadline(*deadline);
    return deadline && *deadline <= now;
  };
  for (const auto& group : running_) {
    if (expired(*group)) finish(*group, FinishReason::deadline);
  }
  remove_finished();
  for (const auto& group : waiting_.take_if(expired)) finish(*group, FinishReason::deadline);
}

void Core::show_to_policy() {
  rows_.clear();
  running_items_.clear();
  waiting_items_.clear();
  int n_sequences = 0, needed = 0;
  const auto show = [&](Group& group, std::vector<Item>& items) {
    for (size_t i = 0; i < group.sequences.size(); ++i) {
      Sequence& sequence = group.sequences[i];
      Item& item = items.emplace_back();
      item.request = group.id;
      item.computed = sequence.computed;
      item.length = sequence.length();
      item.expected = expected_length(group, sequence);
      item.blocks = static_cast<int>(sequence.blocks.size());
      item.width = group.sequences.size() == 1 ? group.request.params.beams : 1;
      rows_.push_back({&group, i});
    }
    n_sequences += std::max(group.request.params.beams, static_cast<int>(group.sequences.size()));
  };

  for (const auto& group : running_) show(*group, running_items_);
  for (const Item& item : running_items_) {
    needed += std::max(0, blocks_for(item.length, blocks_.block_tokens()) - item.blocks);
  }
  if (needed > blocks_.available()) {  // only then does anyone ask what pre-emption would free
    given_up_.assign(static_cast<size_t>(blocks_.size()), 0);
    size_t item = running_items_.size();
    for (auto group = running_.rbegin(); group != running_.rend(); ++group) {
      item -= (*group)->sequences.size();
      running_items_[item].frees = blocks_.frees(**group, given_up_);
    }
  }

  waiting_.peek(static_cast<size_t>(std::max(1, options_.max_sequences - n_sequences)), front_);
  for (Group* group : front_) {
    const size_t first = waiting_items_.size();
    show(*group, waiting_items_);
    for (size_t i = first; i < waiting_items_.size(); ++i) {
      const PrefixMatch match = blocks_.find_prefix(group->sequences[i - first]);
      waiting_items_[i].computed = match.n_tokens(blocks_.block_tokens());
      waiting_items_[i].blocks = static_cast<int>(match.blocks.size());
      waiting_items_[i].idle = match.n_idle;
    }
  }
}

void Core::apply(const Plan& plan) {
  for (const RequestId request : plan.preempt) preempt(request);
  const Time now = clock_.now();
  for (int items = 0; items < plan.n_admitted;) {
    GroupPtr group = waiting_.pop();
    items += static_cast<int>(group->sequences.size());
    for (Sequence& sequence : group->sequences) {
      sequence.tokens.reserve(static_cast<size_t>(group->n_prompt + group->max_tokens));
      blocks_.take_prefix(sequence);
    }
    if (!group->admitted_before) {
      group->n_cached = group->sequences.front().computed;
      metrics_.cached_tokens.add(static_cast<uint64_t>(group->n_cached));
      if (group->n_cached > 0) metrics_.prefix_hits.add();
      metrics_.queue_seconds.observe(seconds(now - group->arrived));
    }
    group->admitted_before = true;
    running_.push_back(std::move(group));
  }
}

// The youngest running group gives up its blocks and is the first to be admitted again. What it
// has computed is remembered, so that it need not be computed anew if its blocks outlive the wait.
void Core::preempt(RequestId request) {
  HYMT_CHECK(!running_.empty() && running_.back()->id == request);
  GroupPtr group = std::move(running_.back());
  running_.pop_back();
  for (Sequence& sequence : group->sequences) {
    blocks_.remember(sequence);
    sequence.answered = false;  // a beam's answer is computed again, with its sisters'
  }
  release(*group);
  waiting_.push_preempted(std::move(group));
  metrics_.preemptions.add();
}

void Core::compute(const Plan& plan) {
  tokens_.clear();
  asks_.clear();
  slices_.clear();
  for (const Work& work : plan.work) {
    const Row& row = rows_[static_cast<size_t>(work.item)];
    Sequence& sequence = row.group->sequences[row.sequence];
    const int end = sequence.computed + work.n_tokens;
    blocks_.extend(sequence, end);
    slices_.push_back({work.n_tokens, sequence.computed, sequence.blocks});
    tokens_.insert(tokens_.end(), sequence.tokens.begin() + sequence.computed,
                   sequence.tokens.begin() + end);
    asks_.resize(tokens_.size());
    if (end == sequence.length()) asks_.back() = ask_for(*row.group, sequence);
  }

  const auto answers = runner_.forward({tokens_, asks_, slices_});
  metrics_.steps.add();
  metrics_.step_rows.observe(static_cast<double>(tokens_.size()));

  size_t next_row = 0;
  for (const Work& work : plan.work) {
    const Row& row = rows_[static_cast<size_t>(work.item)];
    Group& group = *row.group;
    next_row += static_cast<size_t>(work.n_tokens);
    if (group.finished) continue;
    if (!answers) {
      end_with(group, answers.error());
      continue;
    }
    Sequence& sequence = group.sequences[row.sequence];
    const bool in_prompt = sequence.computed < group.n_prompt;
    sequence.computed += work.n_tokens;
    if (in_prompt) {
      metrics_.prompt_tokens.add(static_cast<uint64_t>(work.n_tokens));
      if (sequence.computed >= group.n_prompt) blocks_.remember(sequence);
    }
    if (sequence.computed == sequence.length()) {
      take_answer(group, sequence, (*answers)[next_row - 1]);
    }
  }
  remove_finished();
}

model::Ask Core::ask_for(const Group& group, const Sequence& sequence) const {
  const Params& params = group.request.params;
  return make_ask(params, runner_.limits(), group.seen, group.request.stop_ids,
                  group.n_generated(sequence));
}

void Core::take_answer(Group& group, Sequence& sequence, const model::Answer& answer) {
  if (!group.first_token) {
    group.first_token = clock_.now();
    metrics_.first_token_seconds.observe(seconds(*group.first_token - group.arrived));
  }
  if (!group.beams) return take_token(group, sequence, answer);
  sequence.answered = true;
  sequence.best.assign(answer.best.begin(), answer.best.end());
  sequence.log_sum_exp = answer.log_sum_exp;
  const auto& all = group.sequences;
  if (std::all_of(all.begin(), all.end(), [](const Sequence& one) { return one.answered; })) {
    advance_beams(group);
  }
}

void Core::take_token(Group& group, Sequence& sequence, const model::Answer& answer) {
  const Params& params = group.request.params;
  const Choice choice = choose(params, answer, group.n_generated(sequence), scratch_);
  const auto& stops = group.request.stop_ids;
  if (std::find(stops.begin(), stops.end(), choice.token) != stops.end()) {
    return finish(group, FinishReason::stop);
  }
  sequence.tokens.push_back(choice.token);
  metrics_.generated_tokens.add();
  if (!group.seen.empty()) {
    const auto at = std::lower_bound(group.seen.begin(), group.seen.end(), choice.token);
    if (at == group.seen.end() || *at != choice.token) group.seen.insert(at, choice.token);
  }
  if (params.logprobs > 0) {
    const TokenLogprobs logprobs = logprobs_of(answer, choice, params.logprobs);
    group.listener->on_token(choice.token, &logprobs);
  } else {
    group.listener->on_token(choice.token, nullptr);
  }
  if (group.n_generated(sequence) >= group.max_tokens) return finish(group, FinishReason::length);
  if (group.loop_guard && group.loop_guard->loops(group.generated(sequence))) {
    finish(group, FinishReason::loop);
  }
}

void Core::advance_beams(Group& group) {
  std::vector<BeamAnswer> answers;
  std::vector<std::span<const Token>> generated;
  for (const Sequence& sequence : group.sequences) {
    answers.push_back({sequence.best, sequence.log_sum_exp});
    generated.push_back(group.generated(sequence));
  }
  const auto& next =
      group.beams->advance(answers, generated, group.request.stop_ids, group.max_tokens);
  metrics_.generated_tokens.add(next.size());
  if (next.empty()) return finish(group, FinishReason::stop);

  // The last beam that continues a parent takes over what it holds; the others get copies.
  std::vector<int> heirs(group.sequences.size(), 0);
  for (const auto& beam : next) ++heirs[static_cast<size_t>(beam.parent)];
  for (size_t i = 0; i < heirs.size(); ++i) {
    if (heirs[i] == 0) blocks_.release(group.sequences[i]);
  }
  std::vector<Sequence> live;
  for (const auto& beam : next) {
    const auto parent = static_cast<size_t>(beam.parent);
    const bool last = --heirs[parent] == 0;
    live.push_back(last ? std::move(group.sequences[parent])
                        : blocks_.fork(group.sequences[parent]));
    live.back().tokens.push_back(beam.token);
    live.back().answered = false;
  }
  group.sequences = std::move(live);
}

void Core::finish(Group& group, FinishReason reason) {
  const Time now = clock_.now();
  release(group);
  group.finished = true;
  const auto index = static_cast<size_t>(reason);
  metrics_.finished[index]->add();
  metrics_.request_seconds[index]->observe(seconds(now - group.arrived));
  if (reason == FinishReason::deadline && !group.first_token) {
    return group.listener->on_error(
        {Code::deadline, "the deadline passed before the first token was computed", "deadline_ms"});
  }
  const Sequence& first = group.sequences.front();
  if (const int n = group.n_generated(first); n > 1 && group.first_token) {
    metrics_.token_seconds.observe(seconds(now - *group.first_token) / (n - 1));
  }
  Finish finish;
  finish.prompt_tokens = group.n_prompt;
  finish.cached_tokens = group.n_cached;
  if (group.beams) finish.candidates = group.beams->finished();
  // Of a search that was cut short not even what has ended is known to be the best.
  if (reason == FinishReason::deadline || reason == FinishReason::cancelled) {
    for (Candidate& candidate : finish.candidates) candidate.reason = reason;
  }
  if (finish.candidates.empty()) {
    const auto tokens = group.generated(first);
    finish.candidates.push_back({{tokens.begin(), tokens.end()}, reason, 0});
  }
  group.listener->on_finish(finish);
}

void Core::end_with(Group& group, const Error& error) {
  release(group);
  group.finished = true;
  metrics_.failed.add();
  group.listener->on_error(error);
}

void Core::release(Group& group) {
  for (Sequence& sequence : group.sequences) blocks_.release(sequence);
}

void Core::remove_finished() {
  std::erase_if(running_, [](const GroupPtr& group) { return group->finished; });
}

}  // namespace hymt::engine
