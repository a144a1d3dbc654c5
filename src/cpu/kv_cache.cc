#include "cpu/kv_cache.h"

#include <cstring>

namespace hymt::cpu {
namespace {

size_t padded(int d_head) {
  return static_cast<size_t>(d_head + 15) / 16 * 16;
}

size_t head_size(const model::Config& config) {
  return kBlockTokens * (static_cast<size_t>(config.d_head) + padded(config.d_head));
}

}  // namespace

size_t KvCache::block_bytes(const model::Config& config) {
  return sizeof(uint16_t) * head_size(config) * static_cast<size_t>(config.n_kv_heads) *
         static_cast<size_t>(config.n_layers);
}

Result<KvCache> KvCache::allocate(const model::Config& config, int n_blocks) {
  KvCache cache;
  cache.n_layers_ = config.n_layers;
  cache.n_blocks_ = n_blocks;
  cache.n_kv_heads_ = config.n_kv_heads;
  cache.d_head_ = config.d_head;
  cache.head_size_ = head_size(config);
  cache.block_size_ = cache.head_size_ * static_cast<size_t>(config.n_kv_heads);
  const size_t size =
      cache.block_size_ * static_cast<size_t>(config.n_layers) * static_cast<size_t>(n_blocks);
  // Not written here: pages of blocks that are never used are never needed, unless commit() asks for
  // them. Stale contents are harmless: attention reads no token that its sequence has not written.
  cache.memory_ = HYMT_TRY(
      Buffer<uint16_t>::allocate(size, std::to_string(n_blocks) + " KV blocks of " +
                                           std::to_string(block_bytes(config)) + " bytes"));
  return cache;
}

void KvCache::commit() {
  std::memset(memory_.data(), 0, memory_.size() * sizeof(uint16_t));
}

size_t KvCache::at(int layer, int block) const {
  return (static_cast<size_t>(layer) * static_cast<size_t>(n_blocks_) +
          static_cast<size_t>(block)) *
         block_size_;
}

const uint16_t* KvCache::head(int layer, int kv_head) const {
  return memory_.data() + at(layer, 0) + static_cast<size_t>(kv_head) * head_size_;
}

void KvCache::store(const Kernels& kernels, int layer, int block, int offset, const float* k,
                    const float* v, uint16_t* scratch) {
  const int d_kv = n_kv_heads_ * d_head_;
  const auto d_head = static_cast<size_t>(d_head_);
  uint16_t* k16 = scratch;
  uint16_t* v16 = scratch + d_kv;
  kernels.to_f16(k, d_kv, k16);
  kernels.to_f16(v, d_kv, v16);
  uint16_t* head = memory_.data() + at(layer, block);
  for (int h = 0; h < n_kv_heads_; ++h, head += head_size_, k16 += d_head, v16 += d_head) {
    uint16_t* to_k = head + offset;
    for (size_t d = 0; d < d_head; ++d) to_k[d * kBlockTokens] = k16[d];
    uint16_t* to_v = head + d_head * kBlockTokens + static_cast<size_t>(offset) * padded(d_head_);
    std::memcpy(to_v, v16, d_head * sizeof(uint16_t));
    // The padding takes part in vector arithmetic and must be finite.
    std::memset(to_v + d_head, 0, (padded(d_head_) - d_head) * sizeof(uint16_t));
  }
}

void KvCache::copy(const model::BlockCopy& copy) {
  // Whole blocks: K's tokens are interleaved, and a few spare kilobytes cost less than a strided
  // copy.
  for (int layer = 0; layer < n_layers_; ++layer) {
    std::memcpy(memory_.data() + at(layer, copy.to), memory_.data() + at(layer, copy.from),
                block_size_ * sizeof(uint16_t));
  }
}

}  // namespace hymt::cpu
