#include "engine/waiting_queue.h"

#include <algorithm>

#include "base/check.h"

namespace hymt::engine {
namespace {

constexpr size_t kManyClients = 1024;

}  // namespace

uint64_t WaitingQueue::next_tag(size_t kind, const std::string& client, int n_prompt) {
  if (classes_[kind].empty()) finish_tags_[kind].clear();  // nobody owes anything to an idle queue
  if (finish_tags_[kind].size() > kManyClients) {  // a tag of the past says nothing any more
    std::erase_if(finish_tags_[kind],
                  [&](const auto& tag) { return tag.second <= virtual_time_[kind]; });
  }
  const auto tag = finish_tags_[kind].find(client);
  const uint64_t last = tag != finish_tags_[kind].end() ? tag->second : 0;
  return std::max(virtual_time_[kind], last) + static_cast<uint64_t>(n_prompt);
}

void WaitingQueue::push(std::unique_ptr<Group> group) {
  const auto kind = static_cast<size_t>(group->request.priority);
  const uint64_t finish_tag = next_tag(kind, group->request.client, group->n_prompt);
  finish_tags_[kind][group->request.client] = finish_tag;
  n_new_tokens_ += group->n_prompt;
  arrivals_.insert(group->arrived);
  const Key key{finish_tag, group->id};
  classes_[kind].emplace(key, std::move(group));
}

void WaitingQueue::push_preempted(std::unique_ptr<Group> group) {
  preempted_.push_front(std::move(group));
}

Group* WaitingQueue::find(RequestId id) const {
  for (const auto& group : preempted_) {
    if (group->id == id) return group.get();
  }
  for (const Class& one : classes_) {
    for (const auto& [key, group] : one) {
      if (key.id == id) return group.get();
    }
  }
  return nullptr;
}

void WaitingQueue::join(RequestId id, const Caller& caller) {
  for (size_t kind = 0; kind < std::size(classes_); ++kind) {
    Class& one = classes_[kind];
    const auto at = std::find_if(one.begin(), one.end(),
                                 [&](const auto& entry) { return entry.first.id == id; });
    if (at == one.end()) continue;
    const auto wanted = static_cast<size_t>(caller.priority);
    if (wanted > kind) return;
    const uint64_t finish_tag = next_tag(wanted, caller.client, at->second->n_prompt);
    if (wanted == kind && finish_tag >= at->first.finish_tag) return;
    refund(*at->second);
    auto group = std::move(at->second);
    one.erase(at);
    group->request.client = caller.client;
    group->request.priority = caller.priority;
    finish_tags_[wanted][caller.client] = finish_tag;
    classes_[wanted].emplace(Key{finish_tag, id}, std::move(group));
    return;
  }
}

void WaitingQueue::peek(size_t n, std::vector<Group*>& out) const {
  out.clear();
  for (const auto& group : preempted_) {
    if (out.size() < n) out.push_back(group.get());
  }
  auto interactive = classes_[0].begin();
  auto bulk = classes_[1].begin();
  for (int popped = n_popped_; out.size() < n; ++popped) {
    const bool more[2] = {interactive != classes_[0].end(), bulk != classes_[1].end()};
    if (!more[0] && !more[1]) return;
    const bool take_bulk = more[1] && (!more[0] || bulk_is_next(popped));
    out.push_back((take_bulk ? bulk : interactive)->second.get());
    ++(take_bulk ? bulk : interactive);
  }
}

std::unique_ptr<Group> WaitingQueue::pop() {
  if (!preempted_.empty()) {
    auto group = std::move(preempted_.front());
    preempted_.pop_front();
    return group;
  }
  const bool more[2] = {!classes_[0].empty(), !classes_[1].empty()};
  HYMT_CHECK(more[0] || more[1]);
  const size_t kind = more[1] && (!more[0] || bulk_is_next(n_popped_)) ? 1 : 0;
  ++n_popped_;
  const auto first = classes_[kind].begin();
  virtual_time_[kind] = std::max(virtual_time_[kind], first->first.finish_tag);
  auto group = std::move(first->second);
  classes_[kind].erase(first);
  forget(*group);
  return group;
}

void WaitingQueue::forget(const Group& group) {
  n_new_tokens_ -= group.n_prompt;
  arrivals_.erase(arrivals_.find(group.arrived));
}

// What was never served is not paid for.
void WaitingQueue::refund(const Group& group) {
  auto& tags = finish_tags_[static_cast<size_t>(group.request.priority)];
  const auto tag = tags.find(group.request.client);
  if (tag != tags.end()) tag->second -= static_cast<uint64_t>(group.n_prompt);
}

std::optional<Time> WaitingQueue::oldest() const {
  if (arrivals_.empty()) return std::nullopt;
  return *arrivals_.begin();
}

}  // namespace hymt::engine
