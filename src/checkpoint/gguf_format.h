// Constants of the GGUF container that its reader and its writer share.
#pragma once

#include <cstdint>

namespace hymt::checkpoint::gguf {

inline constexpr char kMagic[4] = {'G', 'G', 'U', 'F'};
inline constexpr uint32_t kVersion = 3;            // what we write; 2 has the same layout
inline constexpr uint32_t kDefaultAlignment = 32;  // of tensor data, without general.alignment
inline constexpr int kMaxDimensions = 4;
inline constexpr const char* kAlignmentKey = "general.alignment";

// Types of metadata values.
enum ValueType : uint32_t {
  kUint8 = 0,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64,
  kValueTypes  // their number
};

// The value rounded up to a multiple of a power of two.
constexpr uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace hymt::checkpoint::gguf
