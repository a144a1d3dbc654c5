// The memory of keys and values: blocks of 16 tokens, for all layers.
//
// K is stored after RoPE and the norm. Which block belongs to whom is the engine's business.
//
// One layer's blocks lie together; a block holds, head by head, K transposed and then V, as
// AttentionTile (kernels/kernels.h) says. Written by one thread at a time per token.
#pragma once

#include <span>

#include "base/result.h"
#include "cpu/buffer.h"
#include "cpu/kernels/kernels.h"
#include "model/config.h"
#include "model/runner.h"

namespace hymt::cpu {

class KvCache {
 public:
  static Result<KvCache> allocate(const model::Config& config, KvType type, int n_blocks);
  static size_t block_bytes(const model::Config& config, KvType type);
  void commit();  // has the system give all of the memory now; before anything is stored

  int n_blocks() const { return n_blocks_; }
  KvType type() const { return type_; }

  // Writes one token's K and V [n_kv_heads * d_head] at `offset` [0, 16) of a block.
  // `scratch` holds 2 * n_kv_heads * d_head values.
  void store(const Kernels& kernels, int layer, int block, int offset, const float* k,
             const float* v, uint16_t* scratch);

  // K of this head in block 0, and the distance to the same in block 1, in bytes.
  const uint8_t* head(int layer, int kv_head) const;
  size_t block_stride() const { return block_size_; }

  void copy(const model::BlockCopy& copy);

 private:
  size_t at(int layer, int block) const;
  void store_f16(const Kernels& kernels, uint8_t* head, int offset, const float* k, const float* v,
                 uint16_t* scratch);
  void store_int8(const Kernels& kernels, uint8_t* head, int offset, const float* k, const float* v,
                  int8_t* scratch);

  KvType type_ = KvType::f16;
  int n_layers_ = 0;
  int n_blocks_ = 0;
  int n_kv_heads_ = 0;
  int d_head_ = 0;
  size_t head_size_ = 0;    // bytes of one head in one block
  size_t block_size_ = 0;   // bytes of one block in one layer
  Buffer<uint8_t> memory_;  // [n_layers][n_blocks][n_kv_heads][K, V]
};

}  // namespace hymt::cpu
