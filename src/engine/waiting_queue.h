// Who is admitted next: fair between clients, interactive before bulk, and nobody for ever last.
//
// Self-clocked fair queueing (Golestani 1994): a request's finish tag lies its prompt's tokens past
// the later of its client's previous tag and the virtual time, which is the tag of the last one
// admitted; the lowest tag goes first. So a client with a thousand requests waiting delays
// another's single one by about one of them, and however many newcomers there are, they arrive
// behind those that wait. One admission in kBulkEvery is a bulk request's while both kinds wait.
// Requests that were pre-empted go before all others. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/group.h"

namespace hymt::engine {

class WaitingQueue {
 public:
  static constexpr int kBulkEvery = 8;

  void push(std::unique_ptr<Group> group);            // a new request
  void push_preempted(std::unique_ptr<Group> group);  // before all that wait

  // The first n in the order of admission (fewer if fewer wait).
  void peek(size_t n, std::vector<Group*>& out) const;
  std::unique_ptr<Group> pop();  // the first; there must be one

  Group* find(RequestId id) const;  // nullptr: it does not wait here
  // One more client wants request `id`: it moves to where that client's own request would stand
  // now, if this is further ahead. Unknown ids are ignored.
  void join(RequestId id, const Caller& caller);

  // Takes out those for which `matches` is true.
  template <class Predicate>
  std::vector<std::unique_ptr<Group>> take_if(Predicate matches);

  bool empty() const { return preempted_.empty() && classes_[0].empty() && classes_[1].empty(); }
  int n_new() const { return static_cast<int>(arrivals_.size()); }  // never admitted yet
  std::optional<Time> oldest() const;  // arrival of the one of them that has waited longest
  int n_new_tokens() const { return n_new_tokens_; }

 private:
  struct Key {
    uint64_t finish_tag;
    RequestId id;  // ties: first come
    auto operator<=>(const Key&) const = default;
  };
  using Class = std::map<Key, std::unique_ptr<Group>>;

  // The tag of a request that came now.
  uint64_t next_tag(size_t kind, const std::string& client, int n_prompt);
  bool bulk_is_next(int n_popped) const { return (n_popped + 1) % kBulkEvery == 0; }
  void forget(const Group& group);
  void refund(const Group& group);

  std::deque<std::unique_ptr<Group>> preempted_;
  Class classes_[2];  // by Priority
  uint64_t virtual_time_[2] = {0, 0};
  std::map<std::string, uint64_t> finish_tags_[2];  // of each client's last request
  int n_popped_ = 0;
  int n_new_tokens_ = 0;
  std::multiset<Time> arrivals_;  // of the new ones
};

template <class Predicate>
std::vector<std::unique_ptr<Group>> WaitingQueue::take_if(Predicate matches) {
  std::vector<std::unique_ptr<Group>> taken;
  std::erase_if(preempted_, [&](auto& group) {
    if (!matches(*group)) return false;
    taken.push_back(std::move(group));
    return true;
  });
  for (Class& one : classes_) {
    for (auto at = one.begin(); at != one.end();) {
      if (matches(*at->second)) {
        forget(*at->second);
        refund(*at->second);
        taken.push_back(std::move(at->second));
        at = one.erase(at);
      } else {
        ++at;
      }
    }
  }
  return taken;
}

}  // namespace hymt::engine
