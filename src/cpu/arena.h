// Many allocations side by side in a few large ones: small matrices then lie in huge pages, too,
// and none wastes the rest of its own. Read as streams, matrices in ordinary pages are a quarter
// slower: prefetchers stop at the end of a page.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "cpu/buffer.h"

namespace hymt::cpu {

// One thread at a time. What was allocated may outlive the arena.
class Arena {
 public:
  // 64-byte aligned, contents indeterminate. unavailable, as Buffer says.
  Result<std::shared_ptr<uint8_t>> allocate(size_t bytes, std::string_view what) {
    const size_t needed = (bytes + 63) / 64 * 64;
    if (!slab_ || slab_->size() - used_ < needed) {
      auto slab = HYMT_TRY(Buffer<uint8_t>::allocate(std::max(kSlabBytes, needed), what));
      slab_ = std::make_shared<Buffer<uint8_t>>(std::move(slab));
      used_ = 0;
    }
    uint8_t* memory = slab_->data() + used_;
    used_ += needed;
    return std::shared_ptr<uint8_t>(slab_, memory);
  }

 private:
  // Of a slab's end that nothing fits in, no memory is used: it is never touched.
  static constexpr size_t kSlabBytes = size_t{64} << 20;

  std::shared_ptr<Buffer<uint8_t>> slab_;
  size_t used_ = 0;
};

}  // namespace hymt::cpu
