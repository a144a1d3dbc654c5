#include "translate/memory/memory.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "engine/core.h"
#include "translate/memory/answer_cache.h"
#include "translate/memory/computation.h"
#include "translate/memory/metrics.h"
#include "translate/memory/record.h"

namespace hymt::translate::memory {

using engine::FinishReason;
using engine::Token;

class Memory::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(engine::Engine& engine, Store* store, const Options& options, const Clock& clock,
       metrics::Registry& registry)
      : engine_(engine),
        store_(store),
        options_(options),
        on_(store || options.bytes > 0),
        clock_(clock),
        metrics_(registry),
        cache_(options.bytes, options.seed) {
    metrics_.bytes.set(static_cast<double>(cache_.bytes()));
  }

  Result<std::vector<Id>> submit(std::vector<Ask> asks) {
    std::vector<std::string> keys;
    for (const Ask& ask : asks) keys.push_back(key_for(ask));
    std::vector<Id> ids;
    const auto batch = std::make_shared<Batch>();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (draining_) return fail(Code::unavailable, "the engine is draining: try again later");
      for (size_t i = 0; i < asks.size(); ++i) {
        ids.push_back(add(*batch, asks[i], std::move(keys[i])));
      }
      if (ask_store(batch)) return ids;
      if (auto launched = launch(*batch); !launched) {
        for (const Id id : ids) forget(id);
        return tl::unexpected<Error>(std::move(launched).error());
      }
    }
    deliver(batch->told, {});
    return ids;
  }

  void leave(Id id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = of_.find(id);
    if (found == of_.end()) return;
    const ComputationPtr computation = std::move(found->second);
    of_.erase(found);
    for (Member& member : computation->members) member.left = member.left || member.id == id;
    if (computation->wanted()) {  // by others; it hears so as if its time were over
      if (computation->running) engine_.expire(*computation->running);
      return;
    }
    close_to_others(*computation);
    if (computation->running) engine_.cancel(*computation->running);
  }

  void drain() {
    const std::lock_guard<std::mutex> lock(mutex_);
    draining_ = true;
    if (n_asking_ == 0) engine_.drain();
  }

  // The memory itself is gone; what is under way ends without it.
  void abandon() {
    const std::lock_guard<std::mutex> lock(mutex_);
    store_ = nullptr;
    draining_ = true;
  }

  engine::Engine& engine() const { return engine_; }

 private:
  using ComputationPtr = std::shared_ptr<Computation>;

  // What one submit() asked for, until the engine has accepted what no memory held.
  struct Batch {
    std::vector<ComputationPtr> misses;
    std::vector<Delivery> told;  // then
    int pending = 0;             // questions to the store
  };

  // Listens to the engine.
  class Ear final : public engine::Listener {
   public:
    Ear(std::shared_ptr<Impl> impl, ComputationPtr computation)
        : impl_(std::move(impl)), computation_(std::move(computation)) {}
    void on_token(Token token, const engine::TokenLogprobs* logprobs) override {
      impl_->on_token(*computation_, token, logprobs);
    }
    std::optional<Time> on_deadline(Time deadline) override {
      return impl_->on_deadline(*computation_, deadline);
    }
    void on_finish(const engine::Finish& finish) override {
      impl_->on_finish(*computation_, finish);
    }
    void on_error(const Error& error) override { impl_->on_error(*computation_, error); }

   private:
    const std::shared_ptr<Impl> impl_;
    const ComputationPtr computation_;
  };

  // Empty for what is neither recalled nor remembered.
  std::string key_for(const Ask& ask) const {
    const engine::Request& request = ask.request;
    if (!on_ || (!ask.recall && !ask.remember) || request.params.logprobs > 0) return {};
    const int fitting = engine::max_fitting_tokens(engine_.runner(), request.params.beams);
    return key_of(options_.identity, request, fitting);
  }

  // All that follows: with the lock held, unless it says otherwise.

  // Recalls, joins, or begins a computation that the batch is to launch. 0: nothing to leave.
  Id add(Batch& batch, Ask& ask, std::string key) {
    if (!key.empty() && ask.recall) {
      if (auto finish = recall(key, static_cast<int>(ask.request.prompt.size()))) {
        metrics_.hits.add();
        batch.told.push_back({std::move(ask.listener), 0, 0, std::move(finish), {}, true});
        return 0;
      }
    }
    const Id id = next_id_++;
    engine::Caller caller{ask.request.client, ask.request.priority, ask.request.deadline};
    Member member{id, std::move(ask.listener), std::move(caller)};
    if (!key.empty() && ask.recall) {
      if (const auto found = by_key_.find(key); found != by_key_.end()) {
        Computation& computation = *found->second;
        metrics_.joins.add();
        of_[id] = found->second;
        computation.remember = computation.remember || ask.remember;
        if (computation.running) engine_.join(*computation.running, member.caller);
        computation.members.push_back(std::move(member));
        return id;
      }
    }
    if (on_ && key.empty()) metrics_.bypassed.add();
    const auto computation = std::make_shared<Computation>();
    computation->key = std::move(key);
    computation->request = std::move(ask.request);
    computation->n_prompt = static_cast<int>(computation->request.prompt.size());
    computation->recall = ask.recall;
    computation->remember = ask.remember;
    batch.misses.push_back(open(computation, {std::move(member)}));
    return id;
  }

  ComputationPtr open(const ComputationPtr& computation, std::vector<Member> members) {
    for (const Member& member : members) of_[member.id] = computation;
    computation->members = std::move(members);
    if (!computation->key.empty() && computation->remember) {
      by_key_.try_emplace(computation->key, computation);
    }
    return computation;
  }

  std::optional<engine::Finish> recall(const std::string& key, int n_prompt) {
    const auto answer = cache_.find(key, clock_.now());
    return answer ? as_recalled(*answer, n_prompt) : std::nullopt;
  }

  std::optional<engine::Finish> as_recalled(std::string_view answer, int n_prompt) const {
    auto finish = decode(answer, engine_.runner().config().n_vocab);
    if (finish) finish->prompt_tokens = finish->cached_tokens = n_prompt;
    return finish;
  }

  // True: the batch goes on once the store has answered.
  bool ask_store(const std::shared_ptr<Batch>& batch) {
    if (!store_) return false;
    for (const ComputationPtr& computation : batch->misses) {
      if (computation->key.empty() || !computation->recall) continue;
      auto found = [impl = shared_from_this(), batch, computation](const auto& value) {
        impl->on_found(*batch, *computation, value);
      };
      if (store_->get(name_of(computation->key), std::move(found))) ++batch->pending;
    }
    if (batch->pending > 0) ++n_asking_;
    return batch->pending > 0;
  }

  // On the store's thread, without the lock.
  void on_found(Batch& batch, Computation& computation, const std::optional<Store::Value>& value) {
    std::vector<Delivery> told;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (value) take_found(batch, computation, *value);
      if (--batch.pending > 0) return;
      if (const auto launched = launch(batch); !launched) {
        for (const ComputationPtr& refused : batch.misses) {
          if (!refused->ended) end_with(*refused, launched.error(), batch.told);
        }
      }
      if (--n_asking_ == 0 && draining_) engine_.drain();
      told = std::move(batch.told);
    }
    deliver(told, {});
  }

  void take_found(Batch& batch, Computation& computation, const Store::Value& value) {
    const auto answer = unseal(value.bytes, computation.key);
    const auto finish = answer ? as_recalled(*answer, computation.n_prompt) : std::nullopt;
    if (!finish) return metrics_.foreign.add();
    metrics_.shared_hits.add();
    keep(computation.key, *answer, std::min(options_.keep, value.left));
    for (const Member& member : computation.members) {
      batch.told.push_back(member.left ? cut_short(computation, member, FinishReason::cancelled)
                                       : Delivery{member.listener, 0, 0, finish, {}, true});
    }
    end(computation);
  }

  // All that is still to be computed, or, with the error, none of it.
  Result<void> launch(Batch& batch) {
    std::vector<engine::Submission> submissions;
    std::vector<ComputationPtr> launched;
    for (const ComputationPtr& computation : batch.misses) {
      if (computation->ended) continue;
      cut(*computation, batch.told, std::nullopt);
      if (computation->members.empty()) {
        end(*computation);
        continue;
      }
      const engine::Caller& first = computation->members.front().caller;
      computation->request.client = first.client;
      computation->request.priority = first.priority;
      computation->request.deadline = first.deadline;
      submissions.push_back({std::move(computation->request),
                             std::make_shared<Ear>(shared_from_this(), computation)});
      launched.push_back(computation);
    }
    if (launched.empty()) return {};
    const auto ids = HYMT_TRY(engine_.submit(std::move(submissions)));
    for (size_t i = 0; i < launched.size(); ++i) {
      Computation& computation = *launched[i];
      computation.running = ids[i];
      if (!computation.key.empty()) metrics_.misses.add();
      // The first one went with the request.
      for (size_t m = 1; m < computation.members.size(); ++m) {
        engine_.join(ids[i], computation.members[m].caller);
      }
    }
    return {};
  }

  // Of a submit() that is refused as a whole.
  void forget(Id id) {
    const auto found = of_.find(id);
    if (found == of_.end()) return;
    const ComputationPtr computation = std::move(found->second);
    of_.erase(found);
    std::erase_if(computation->members, [id](const Member& member) { return member.id == id; });
    if (computation->members.empty()) end(*computation);
  }

  // On the engine's thread, without the lock.
  void on_token(Computation& computation, Token token, const engine::TokenLogprobs* logprobs) {
    if (logprobs) return computation.members.front().listener->on_token(token, logprobs);
    std::vector<Delivery> told;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      computation.tokens.push_back(token);
      const size_t n = computation.tokens.size();
      for (Member& member : computation.members) {
        told.push_back({member.listener, std::exchange(member.told, n), n, {}, {}});
      }
    }
    deliver(told, computation.tokens);
  }

  // Of one of its members, or one has left. Nobody can join what is about to end: whoever came
  // before that is asked about here.
  std::optional<Time> on_deadline(Computation& computation, Time deadline) {
    std::vector<Delivery> told;
    std::optional<Time> next = deadline;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const Time now = clock_.now();
      const auto& members = computation.members;
      const auto stays = [&](const Member& member) { return !member.left && !member.late(now); };
      if (std::any_of(members.begin(), members.end(), stays)) {
        cut(computation, told, now);
        next = computation.next_deadline();
      } else {
        close_to_others(computation);
      }
    }
    deliver(told, computation.tokens);
    return next;
  }

  void on_finish(Computation& computation, const engine::Finish& finish) {
    std::vector<Delivery> told;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const size_t n = computation.tokens.size();
      for (const Member& member : computation.members) {
        told.push_back(member.left ? cut_short(computation, member, FinishReason::cancelled)
                                   : Delivery{member.listener, member.told, n, finish, {}});
      }
      end(computation);
      if (computation.remember && is_complete(finish)) remember(computation, finish);
    }
    deliver(told, computation.tokens);
  }

  void on_error(Computation& computation, const Error& error) {
    std::vector<Delivery> told;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      end_with(computation, error, told);
    }
    deliver(told, computation.tokens);
  }

  // Those members who have left or, where a time is given, who have none left. To be called as
  // cut_short() is.
  void cut(Computation& computation, std::vector<Delivery>& told, std::optional<Time> now) {
    std::erase_if(computation.members, [&](const Member& member) {
      if (!member.left && !(now && member.late(*now))) return false;
      told.push_back(cut_short(computation, member,
                               member.left ? FinishReason::cancelled : FinishReason::deadline));
      of_.erase(member.id);
      return true;
    });
  }

  void end_with(Computation& computation, const Error& error, std::vector<Delivery>& told) {
    for (const Member& member : computation.members) {
      if (member.left) {
        told.push_back(cut_short(computation, member, FinishReason::cancelled));
      } else if (error.code == Code::deadline) {
        told.push_back(cut_short(computation, member, FinishReason::deadline));
      } else {
        told.push_back({member.listener, 0, 0, {}, error});
      }
    }
    end(computation);
  }

  void end(Computation& computation) {
    computation.ended = true;
    close_to_others(computation);
    for (const Member& member : computation.members) of_.erase(member.id);
    computation.members.clear();
  }

  void close_to_others(const Computation& computation) {
    const auto found = by_key_.find(computation.key);
    if (found != by_key_.end() && found->second.get() == &computation) by_key_.erase(found);
  }

  void remember(const Computation& computation, const engine::Finish& finish) {
    if (computation.key.empty()) return;
    const std::string answer = encode(finish);
    keep(computation.key, answer, options_.keep);
    if (store_) store_->put(name_of(computation.key), seal(computation.key, answer));
  }

  void keep(std::string_view key, std::string_view answer, Duration time) {
    const uint64_t evicted = cache_.evicted();
    cache_.put(key, answer, clock_.now() + time);
    metrics_.evictions.add(cache_.evicted() - evicted);
    metrics_.entries.set(static_cast<double>(cache_.size()));
    metrics_.bytes_used.set(static_cast<double>(cache_.bytes_used()));
  }

  engine::Engine& engine_;
  Store* store_;
  const Options options_;
  const bool on_;
  const Clock& clock_;
  Metrics metrics_;

  // Guards what follows. The engine's and the store's own locks are taken under it, never the other
  // way round; no listener is called under it.
  std::mutex mutex_;
  AnswerCache cache_;
  std::unordered_map<std::string, ComputationPtr> by_key_;  // that can be joined
  std::unordered_map<Id, ComputationPtr> of_;               // by the members who have not left
  Id next_id_ = 1;
  int n_asking_ = 0;  // batches that wait for the store
  bool draining_ = false;
};

Memory::Memory(engine::Engine& engine, Store* store, const Options& options, const Clock& clock,
               metrics::Registry& metrics)
    : impl_(std::make_shared<Impl>(engine, store, options, clock, metrics)) {}
Memory::~Memory() {
  impl_->abandon();
}

Result<std::vector<Id>> Memory::submit(std::vector<Ask> asks) {
  return impl_->submit(std::move(asks));
}
void Memory::leave(Id id) {
  impl_->leave(id);
}
std::function<void(Id)> Memory::leaver() const {
  return [impl = impl_](Id id) { impl->leave(id); };
}
void Memory::drain() {
  impl_->drain();
}
engine::Engine& Memory::engine() const {
  return impl_->engine();
}

}  // namespace hymt::translate::memory
