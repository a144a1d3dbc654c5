#include "checkpoint/allocation_meter.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

thread_local size_t largest_allocation = 0;
thread_local size_t all_allocations = 0;

void* allocate(size_t size) {
  largest_allocation = std::max(largest_allocation, size);
  all_allocations += size;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) {
  return allocate(size);
}
void* operator new[](size_t size) {
  return allocate(size);
}
// A sanitizer's own forms of what is not replaced here would not match our delete.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size > 0 ? size : 1);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}

namespace hymt::test {

AllocationMeter::AllocationMeter() {
  largest_allocation = 0;
  all_allocations = 0;
}

size_t AllocationMeter::largest() const {
  return largest_allocation;
}
size_t AllocationMeter::total() const {
  return all_allocations;
}

}  // namespace hymt::test
