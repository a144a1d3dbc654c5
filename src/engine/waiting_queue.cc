#include "engine/waiting_queue.h"

#include <algorithm>

#include "base/check.h"

namespace hymt::engine {
namespace {

constexpr size_t kManyClients = 1024;

}  // namespace

void WaitingQueue::push(std::unique_ptr<Group> group) {
  const auto kind = static_cast<size_t>(group->request.priority);
  if (classes_[kind].empty()) finish_tags_[kind].clear();  // nobody owes anything to an idle queue
  if (finish_tags_[kind].size() > kManyClients) {  // a tag of the past says nothing any more
    std::erase_if(finish_tags_[kind],
                  [&](const auto& tag) { return tag.second <= virtual_time_[kind]; });
  }
  uint64_t& finish_tag = finish_tags_[kind][group->request.client];
  finish_tag = std::max(virtual_time_[kind], finish_tag) + static_cast<uint64_t>(group->n_prompt);
  n_new_tokens_ += group->n_prompt;
  arrivals_.insert(group->arrived);
  const Key key{finish_tag, group->id};
  classes_[kind].emplace(key, std::move(group));
}

void WaitingQueue::push_preempted(std::unique_ptr<Group> group) {
  preempted_.push_front(std::move(group));
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
