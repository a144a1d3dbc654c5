#include "cpu/kv_cache.h"

#include <algorithm>
#include <cstring>

namespace hymt::cpu {
namespace {

size_t padded(int d_head) {
  return static_cast<size_t>(d_head + 15) / 16 * 16;
}

// Bytes of one head in one block.
size_t head_size(const model::Config& config, KvType type) {
  const size_t numbers =
      kBlockTokens * (static_cast<size_t>(config.d_head) + padded(config.d_head));
  return type == KvType::f16 ? numbers * sizeof(uint16_t)
                             : numbers + 2 * kBlockTokens * sizeof(float);
}

}  // namespace

size_t KvCache::block_bytes(const model::Config& config, KvType type) {
  return head_size(config, type) * static_cast<size_t>(config.n_kv_heads) *
         static_cast<size_t>(config.n_layers);
}

Result<KvCache> KvCache::allocate(const model::Config& config, KvType type, int n_blocks) {
  KvCache cache;
  cache.type_ = type;
  cache.n_layers_ = config.n_layers;
  cache.n_blocks_ = n_blocks;
  cache.n_kv_heads_ = config.n_kv_heads;
  cache.d_head_ = config.d_head;
  cache.head_size_ = head_size(config, type);
  cache.block_size_ = cache.head_size_ * static_cast<size_t>(config.n_kv_heads);
  const size_t size =
      cache.block_size_ * static_cast<size_t>(config.n_layers) * static_cast<size_t>(n_blocks);
  // Not written here: pages of blocks that are never used are never needed, unless commit() asks
  // for them. Stale contents are harmless: attention reads no token that its sequence has not
  // written.
  cache.memory_ = HYMT_TRY(
      Buffer<uint8_t>::allocate(size, std::to_string(n_blocks) + " KV blocks of " +
                                          std::to_string(block_bytes(config, type)) + " bytes"));
  return cache;
}

void KvCache::commit() {
  std::memset(memory_.data(), 0, memory_.size());
}

size_t KvCache::at(int layer, int block) const {
  return (static_cast<size_t>(layer) * static_cast<size_t>(n_blocks_) +
          static_cast<size_t>(block)) *
         block_size_;
}

const uint8_t* KvCache::head(int layer, int kv_head) const {
  return memory_.data() + at(layer, 0) + static_cast<size_t>(kv_head) * head_size_;
}

void KvCache::store(const Kernels& kernels, int layer, int block, int offset, const float* k,
                    const float* v, uint16_t* scratch) {
  const auto d_head = static_cast<size_t>(d_head_);
  uint8_t* head = memory_.data() + at(layer, block);
  for (int h = 0; h < n_kv_heads_; ++h, head += head_size_, k += d_head, v += d_head) {
    if (type_ == KvType::f16) {
      store_f16(kernels, head, offset, k, v, scratch);
    } else {
      store_int8(kernels, head, offset, k, v, reinterpret_cast<int8_t*>(scratch));
    }
  }
}

namespace {

// A token's K goes into a column, its V into a row. The row's padding takes part in vector
// arithmetic and must be finite.
template <class Number>
void place(const Number* k, const Number* v, int offset, size_t d_head, Number* to_k,
           Number* to_v) {
  for (size_t d = 0; d < d_head; ++d) to_k[d * kBlockTokens + static_cast<size_t>(offset)] = k[d];
  to_v += static_cast<size_t>(offset) * padded(static_cast<int>(d_head));
  std::copy_n(v, d_head, to_v);
  std::fill(to_v + d_head, to_v + padded(static_cast<int>(d_head)), Number{0});
}

}  // namespace

void KvCache::store_f16(const Kernels& kernels, uint8_t* head, int offset, const float* k,
                        const float* v, uint16_t* scratch) {
  const auto d_head = static_cast<size_t>(d_head_);
  kernels.to_f16(k, d_head_, scratch);
  kernels.to_f16(v, d_head_, scratch + d_head);
  auto* numbers = reinterpret_cast<uint16_t*>(head);
  place(scratch, scratch + d_head, offset, d_head, numbers, numbers + d_head * kBlockTokens);
}

void KvCache::store_int8(const Kernels& kernels, uint8_t* head, int offset, const float* k,
                         const float* v, int8_t* scratch) {
  const auto d_head = static_cast<size_t>(d_head_);
  auto* to_k = reinterpret_cast<int8_t*>(head);
  auto* k_scales = reinterpret_cast<float*>(to_k + d_head * kBlockTokens);
  auto* to_v = reinterpret_cast<int8_t*>(k_scales + kBlockTokens);
  auto* v_scales = reinterpret_cast<float*>(to_v + padded(d_head_) * kBlockTokens);
  k_scales[offset] = kernels.to_int8(k, d_head_, scratch);
  v_scales[offset] = kernels.to_int8(v, d_head_, scratch + d_head);
  place(scratch, scratch + d_head, offset, d_head, to_k, to_v);
}

void KvCache::copy(const model::BlockCopy& copy) {
  // Whole blocks: K's tokens are interleaved, and a few spare kilobytes cost less than a strided
  // copy.
  for (int layer = 0; layer < n_layers_; ++layer) {
    std::memcpy(memory_.data() + at(layer, copy.to), memory_.data() + at(layer, copy.from),
                block_size_);
  }
}

}  // namespace hymt::cpu
