#include "cpu/buffer.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace hymt::cpu::internal {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

std::string shown_size(size_t bytes) {
  char text[32];
  if (bytes < size_t{1} << 30) {
    std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  } else {
    std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  }
  return text;
}

}  // namespace

Result<void*> allocate_bytes(size_t bytes, std::string_view what) {
  const size_t alignment = bytes >= 4 * kHugePage ? kHugePage : 64;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded ? rounded : 64);
  if (memory == nullptr) {
    return fail(Code::unavailable, "not enough memory: cannot allocate " + shown_size(bytes) +
                                       " for " + std::string(what) +
                                       "; give the model less KV memory or a larger machine");
  }
#ifdef MADV_HUGEPAGE
  if (alignment == kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);  // only advice
#endif
  return memory;
}

void free_bytes(void* memory) {
  std::free(memory);
}

}  // namespace hymt::cpu::internal
