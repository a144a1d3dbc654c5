// The one seam between the engine and the hardware.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "model/batch.h"
#include "model/config.h"

namespace hymt::model {

struct Limits {
  int block_tokens = 16;     // tokens a KV block holds
  int n_blocks = 0;          // KV blocks in the pool
  int max_batch_tokens = 0;  // rows a batch may have
  int max_batch_asks = 0;    // rows that may ask for anything but nothing
  int max_top_k = 0;
};

struct BlockCopy {
  int32_t from;
  int32_t to;
  int n_tokens;  // only the first n_tokens of the block need to be copied
};

// Owns the packed weights and the KV pool's memory, all allocated at construction. One thread at
// a time.
class Runner {
 public:
  virtual ~Runner() = default;

  virtual const Config& config() const = 0;
  virtual const Limits& limits() const = 0;
  // What can change the bytes of an answer, e.g. "cpu/avx512 kv=f16": part of a remembered
  // answer's key.
  virtual std::string name() const = 0;

  // Computes the batch, writing K and V of its rows into their blocks. One answer a row
  // [n_tokens], valid until the next call. A row's answer is a function of its sequence alone:
  // not of its neighbours, the chunking, or the number of threads. Fails only if the hardware does.
  virtual Result<std::span<const Answer>> forward(const Batch& batch) = 0;

  virtual void copy_blocks(std::span<const BlockCopy> copies) = 0;
};

}  // namespace hymt::model
