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
  const int guess = group.n_prompt + std::min(group.max_tokens, group.n_prompt);
  return std::max(sequence.length(), guess);
}

bool never_admitted(const std::unique_ptr<Group>& group) {
  return !group->admitted_before;
}

}  // namespace

int max_fitting_tokens(const model::Runner& runner) {
  const auto& limits = runner.limits();
  const int64_t pool = static_cast<int64_t>(limits.n_blocks) * limits.block_tokens;
  return static_cast<int>(std::min<int64_t>(runner.config().n_context, pool));
}

Core::Core(model::Runner& runner, const CoreOptions& options, const Clock& clock, Metrics& metrics)
    : runner_(runner),
      options_{std::min(options.max_sequences, runner.limits().max_batch_asks),
               std::min(options.step_rows, runner.limits().max_batch_tokens)},
      clock_(clock),
      metrics_(metrics),
      pool_(runner.limits().n_blocks) {
  const auto step_rows = static_cast<size_t>(options_.step_rows);
  tokens_.reserve(step_rows);
  asks_.reserve(step_rows);
  slices_.reserve(step_rows);
  metrics_.blocks.set(pool_.size());
}

void Core::submit(RequestId id, Request request, std::shared_ptr<Listener> listener, Time arrived) {
  auto group = std::make_unique<Group>();
  group->id = id;
  group->n_prompt = static_cast<int>(request.prompt.size());
  group->max_tokens =
      std::min(request.params.max_tokens, max_fitting_tokens(runner_) - group->n_prompt);
  group->listener = std::move(listener);
  group->arrived = arrived;
  Sequence sequence;
  sequence.tokens.reserve(request.prompt.size() + static_cast<size_t>(group->max_tokens));
  sequence.tokens = request.prompt;
  group->sequences.push_back(std::move(sequence));
  if (request.params.temperature > 0 && request.params.repetition_penalty != 1) {
    group->seen = request.prompt;
    std::sort(group->seen.begin(), group->seen.end());
    group->seen.erase(std::unique(group->seen.begin(), group->seen.end()), group->seen.end());
  }
  group->request = std::move(request);

  // Interactive requests wait before bulk ones, each kind in the order of arrival.
  auto place = waiting_.end();
  if (group->request.priority == Priority::interactive) {
    place = std::find_if(waiting_.begin(), waiting_.end(), [](const GroupPtr& other) {
      return never_admitted(other) && other->request.priority == Priority::bulk;
    });
  }
  waiting_.insert(place, std::move(group));
}

void Core::cancel(RequestId id) {
  const auto has_id = [&](const GroupPtr& group) { return group->id == id; };
  if (const auto at = std::find_if(running_.begin(), running_.end(), has_id);
      at != running_.end()) {
    finish(**at, FinishReason::cancelled);
    running_.erase(at);
  } else if (const auto it = std::find_if(waiting_.begin(), waiting_.end(), has_id);
             it != waiting_.end()) {
    finish(**it, FinishReason::cancelled);
    waiting_.erase(it);
  }
}

void Core::cancel_all() {
  while (!running_.empty()) cancel(running_.back()->id);
  while (!waiting_.empty()) cancel(waiting_.back()->id);
}

int Core::n_queued() const {
  return static_cast<int>(std::count_if(waiting_.begin(), waiting_.end(), never_admitted));
}

int Core::n_queued_tokens() const {
  int n_tokens = 0;
  for (const auto& group : waiting_) n_tokens += never_admitted(group) ? group->n_prompt : 0;
  return n_tokens;
}

bool Core::step() {
  end_expired();
  rows_.clear();
  const auto show = [&](Group& group, std::vector<Item>& items) {
    for (size_t i = 0; i < group.sequences.size(); ++i) {
      Sequence& sequence = group.sequences[i];
      const auto n_blocks = static_cast<int>(sequence.blocks.size());
      items.push_back({group.id, sequence.computed, sequence.length(),
                       expected_length(group, sequence), n_blocks, n_blocks});
      rows_.push_back({&group, &sequence});
    }
  };
  running_items_.clear();
  waiting_items_.clear();
  for (const auto& group : running_) show(*group, running_items_);
  for (const auto& group : waiting_) {
    if (static_cast<int>(waiting_items_.size()) >= options_.max_sequences) break;
    show(*group, waiting_items_);
  }
  const Capacity capacity{options_.step_rows, options_.max_sequences, runner_.limits().block_tokens,
                          pool_.free_count()};
  make_plan(running_items_, waiting_items_, capacity, plan_);
  apply(plan_);
  if (!plan_.work.empty()) compute(plan_);
  metrics_.running.set(n_running());
  metrics_.queued.set(n_queued());
  metrics_.blocks_used.set(pool_.size() - pool_.free_count());
  return !plan_.work.empty();
}

void Core::end_expired() {
  const Time now = clock_.now();
  const auto expired = [&](const GroupPtr& group) {
    return group->request.deadline && *group->request.deadline <= now;
  };
  const auto end = [&](auto& groups) {
    for (const auto& group : groups) {
      if (expired(group)) finish(*group, FinishReason::deadline);
    }
    std::erase_if(groups, [](const GroupPtr& group) { return group->finished; });
  };
  end(running_);
  end(waiting_);
}

void Core::apply(const Plan& plan) {
  for (const RequestId request : plan.preempt) preempt(request);
  const Time now = clock_.now();
  for (int items = 0; items < plan.n_admitted;) {
    GroupPtr group = std::move(waiting_.front());
    waiting_.pop_front();
    items += static_cast<int>(group->sequences.size());
    if (!group->admitted_before) metrics_.queue_seconds.observe(seconds(now - group->arrived));
    group->admitted_before = true;
    running_.push_back(std::move(group));
  }
}

// The youngest running group gives up its blocks and is the first to be admitted again.
void Core::preempt(RequestId request) {
  HYMT_CHECK(!running_.empty() && running_.back()->id == request);
  GroupPtr group = std::move(running_.back());
  running_.pop_back();
  release_blocks(*group);
  waiting_.push_front(std::move(group));
  metrics_.preemptions.add();
}

void Core::release_blocks(Group& group) {
  for (Sequence& sequence : group.sequences) {
    for (const Block block : sequence.blocks) pool_.release(block);
    sequence.blocks.clear();
    sequence.computed = 0;
  }
}

void Core::compute(const Plan& plan) {
  tokens_.clear();
  asks_.clear();
  slices_.clear();
  for (const Work& work : plan.work) {
    Group& group = *rows_[static_cast<size_t>(work.item)].group;
    Sequence& sequence = *rows_[static_cast<size_t>(work.item)].sequence;
    const int end = sequence.computed + work.n_tokens;
    const int n_blocks = blocks_for(end, runner_.limits().block_tokens);
    while (static_cast<int>(sequence.blocks.size()) < n_blocks) {
      sequence.blocks.push_back(pool_.allocate());
    }
    slices_.push_back({work.n_tokens, sequence.computed, sequence.blocks});
    tokens_.insert(tokens_.end(), sequence.tokens.begin() + sequence.computed,
                   sequence.tokens.begin() + end);
    asks_.resize(tokens_.size());
    if (end == sequence.length()) {
      asks_.back() = make_ask(group.request.params, runner_.limits(), group.seen,
                              group.request.stop_ids, group.n_generated(sequence));
    }
  }

  const auto answers = runner_.forward({tokens_, asks_, slices_});
  metrics_.steps.add();
  metrics_.step_rows.observe(static_cast<double>(tokens_.size()));
  if (!answers) return fail_all_running(answers.error());

  size_t row = 0;
  for (const Work& work : plan.work) {
    Group& group = *rows_[static_cast<size_t>(work.item)].group;
    Sequence& sequence = *rows_[static_cast<size_t>(work.item)].sequence;
    row += static_cast<size_t>(work.n_tokens);
    metrics_.prompt_tokens.add(
        static_cast<uint64_t>(std::clamp(group.n_prompt - sequence.computed, 0, work.n_tokens)));
    sequence.computed += work.n_tokens;
    if (sequence.computed == sequence.length()) take_answer(group, sequence, (*answers)[row - 1]);
  }
  std::erase_if(running_, [](const GroupPtr& group) { return group->finished; });
}

void Core::take_answer(Group& group, Sequence& sequence, const model::Answer& answer) {
  const Params& params = group.request.params;
  const Choice choice = choose(params, answer, group.n_generated(sequence), scratch_);
  if (!group.first_token) {
    group.first_token = clock_.now();
    metrics_.first_token_seconds.observe(seconds(*group.first_token - group.arrived));
  }
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
  if (group.n_generated(sequence) >= group.max_tokens) finish(group, FinishReason::length);
}

void Core::finish(Group& group, FinishReason reason) {
  const Time now = clock_.now();
  release_blocks(group);
  group.finished = true;
  const auto index = static_cast<size_t>(reason);
  metrics_.finished[index]->add();
  metrics_.request_seconds[index]->observe(seconds(now - group.arrived));
  if (reason == FinishReason::deadline && !group.first_token) {
    return group.listener->on_error(
        {Code::deadline, "the deadline passed before the first token was computed", "deadline_ms"});
  }
  Finish finish;
  finish.prompt_tokens = group.n_prompt;
  for (const Sequence& sequence : group.sequences) {
    finish.candidates.push_back(
        {{sequence.tokens.begin() + group.n_prompt, sequence.tokens.end()}, reason, 0});
  }
  if (const int n = group.n_generated(group.sequences.front()); n > 1 && group.first_token) {
    metrics_.token_seconds.observe(seconds(now - *group.first_token) / (n - 1));
  }
  group.listener->on_finish(finish);
}

void Core::fail_all_running(const Error& error) {
  for (const auto& group : running_) {
    release_blocks(*group);
    metrics_.failed.add();
    group->listener->on_error(error);
  }
  running_.clear();
}

}  // namespace hymt::engine
