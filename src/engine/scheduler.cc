#include "engine/scheduler.h"

#include <algorithm>

namespace hymt::engine {
namespace {

class Planner {
 public:
  Planner(std::span<const Item> running, std::span<const Item> waiting, const Capacity& capacity,
          Plan& plan)
      : running_(running),
        waiting_(waiting),
        capacity_(capacity),
        plan_(plan),
        alive_(running.size()),
        rows_(capacity.step_rows),
        free_(capacity.free_blocks) {}

  void run() {
    for (size_t i = 0; i < alive_; ++i) {
      if (pending(running_[i]) == 1) add(i);
    }
    for (size_t i = 0; i < alive_; ++i) {
      if (pending(running_[i]) > 1) add(i);
    }
    admit();
  }

 private:
  static int pending(const Item& item) { return item.length - item.computed; }

  int missing_blocks(const Item& item, int n_tokens) const {
    return std::max(0, blocks_for(n_tokens, capacity_.block_tokens) - item.blocks);
  }

  // Gives running item i as many rows as there are, taking blocks from younger requests if it must.
  void add(size_t i) {
    const Item& item = running_[i];
    const int n = std::min(pending(item), rows_);
    if (n == 0) return;
    const int need = missing_blocks(item, item.computed + n);
    while (need > free_) {
      if (preempt_youngest() == item.request) return;
    }
    take({static_cast<int>(i), n}, need);
  }

  void take(Work work, int blocks) {
    plan_.work.push_back(work);
    rows_ -= work.n_tokens;
    free_ -= blocks;
  }

  uint64_t preempt_youngest() {
    const uint64_t victim = running_[alive_ - 1].request;
    while (alive_ > 0 && running_[alive_ - 1].request == victim) free_ += running_[--alive_].frees;
    std::erase_if(plan_.work, [&](const Work& work) {
      const auto i = static_cast<size_t>(work.item);
      if (i < alive_) return false;
      rows_ += work.n_tokens;
      free_ += missing_blocks(running_[i], running_[i].computed + work.n_tokens);
      return true;
    });
    plan_.preempt.push_back(victim);
    return victim;
  }

  void admit() {
    if (!plan_.preempt.empty()) return;  // blocks are short: let the running ones finish first
    int promised = 0;                    // blocks that the running ones are expected to take yet
    for (size_t i = 0; i < alive_; ++i)
      promised += missing_blocks(running_[i], running_[i].expected);
    for (const Work& work : plan_.work) {
      const Item& item = running_[static_cast<size_t>(work.item)];
      promised -= missing_blocks(item, item.computed + work.n_tokens);
    }
    int n_running = 0;
    for (size_t i = 0; i < alive_; ++i) n_running += running_[i].width;
    for (size_t next = 0; next < waiting_.size() && rows_ > 0;) {
      size_t end = next;
      int need = 0, width = 0;
      while (end < waiting_.size() && waiting_[end].request == waiting_[next].request) {
        need += missing_blocks(waiting_[end], waiting_[end].expected) + waiting_[end].idle;
        width += waiting_[end].width;
        ++end;
      }
      const bool alone = n_running == 0;  // it fits the empty pool, or it had been refused
      if (n_running + width > capacity_.max_sequences && !alone) return;
      if (promised + need > free_ && !alone) return;
      n_running += width;
      for (; next < end; ++next) {
        const Item& item = waiting_[next];
        free_ -= item.idle;
        int n = std::min(pending(item), rows_);
        int blocks = missing_blocks(item, item.computed + n);
        if (blocks > free_) n = 0, blocks = 0;  // a beam among several: the next step sees to it
        if (n > 0) take({static_cast<int>(running_.size() + next), n}, blocks);
        promised += missing_blocks(item, item.expected) - blocks;
        ++plan_.n_admitted;
      }
    }
  }

  std::span<const Item> running_, waiting_;
  const Capacity& capacity_;
  Plan& plan_;
  size_t alive_;  // running_[0, alive_) are not pre-empted
  int rows_;      // left in the step
  int free_;      // blocks left
};

}  // namespace

void make_plan(std::span<const Item> running, std::span<const Item> waiting,
               const Capacity& capacity, Plan& plan) {
  plan.work.clear();
  plan.preempt.clear();
  plan.n_admitted = 0;
  Planner(running, waiting, capacity, plan).run();
}

}  // namespace hymt::engine
