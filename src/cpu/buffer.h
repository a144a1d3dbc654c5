// Memory that is allocated once, at start, and says so politely when there is not enough.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace hymt::cpu {

// 64-byte aligned; large ones ask for huge pages (a streamed panel then crosses few page borders).
// Null and size 0 until allocated.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;

  // unavailable with the size and `what` (a noun phrase) in the message. Contents: indeterminate.
  static Result<Buffer> allocate(size_t count, std::string_view what);
  // The same, all bytes zero.
  static Result<Buffer> zeroed(size_t count, std::string_view what) {
    auto buffer = allocate(count, what);
    if (buffer) std::memset(static_cast<void*>(buffer->data()), 0, count * sizeof(T));
    return buffer;
  }

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return memory_.get()[i]; }
  const T& operator[](size_t i) const { return memory_.get()[i]; }

 private:
  struct Free {
    void operator()(T* memory) const;
  };
  std::unique_ptr<T, Free> memory_;
  size_t size_ = 0;
};

namespace internal {
Result<void*> allocate_bytes(size_t bytes, std::string_view what);
void free_bytes(void* memory);
}  // namespace internal

template <class T>
Result<Buffer<T>> Buffer<T>::allocate(size_t count, std::string_view what) {
  const size_t bytes = count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
  Buffer buffer;
  buffer.memory_.reset(static_cast<T*>(HYMT_TRY(internal::allocate_bytes(bytes, what))));
  buffer.size_ = count;
  return buffer;
}

template <class T>
void Buffer<T>::Free::operator()(T* memory) const {
  internal::free_bytes(memory);
}

}  // namespace hymt::cpu
