// The policy: what the next step computes. A pure function of what it is shown; it knows no model,
// no clock and no text, and changes nothing.
//
//   1. every decoding sequence gets its token, oldest request first;
//   2. what is left of the step's rows goes to started prompts, oldest first, in chunks;
//   3. then waiting requests are admitted, in order and without overtaking (so nothing starves),
//      while the blocks that they and the running ones are expected to need are there.
// When a block is missing, the youngest running request gives its blocks back and waits again; it
// is computed anew later and loses nothing. The oldest always advances.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hymt::engine {

// One sequence as the policy sees it. Sequences of one request (beams) stand side by side.
struct Item {
  uint64_t request = 0;  // equal for the sequences of one request
  int computed = 0;      // tokens whose K and V are cached
  int length = 0;        // tokens known; length - computed are pending
  int expected = 0;      // tokens it is expected to reach, >= length
  int blocks = 0;        // blocks it holds
  int idle = 0;          // of those: blocks that count as free until this waiting item is admitted
  int width = 1;         // sequences it may become (beams)
  int frees = 0;         // blocks that come free if its request gives up its own after all younger
                         // ones did; at the request's first item
};

struct Capacity {
  int step_rows = 0;      // rows of a step
  int max_sequences = 0;  // sequences that may run at once
  int block_tokens = 0;
  int free_blocks = 0;
};

struct Work {
  int item;      // index into running, then (past its end) into waiting
  int n_tokens;  // of its pending ones
};

struct Plan {
  std::vector<Work> work;
  std::vector<uint64_t> preempt;  // requests, youngest first
  int n_admitted = 0;             // waiting items taken, from the front; whole requests
};

// `running` oldest request first; `waiting` in the order of admission. Fills `plan` anew (its
// memory is reused). If anything is running or waiting and the oldest fits the pool, there is work.
void make_plan(std::span<const Item> running, std::span<const Item> waiting,
               const Capacity& capacity, Plan& plan);

inline int blocks_for(int n_tokens, int block_tokens) {
  return (n_tokens + block_tokens - 1) / block_tokens;
}

}  // namespace hymt::engine
