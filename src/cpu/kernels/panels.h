// The layout of packed matrices, shared by every kernel table.
//
// A matrix is cut into panels of 16 output rows; rows past the matrix's end are zeros, so any
// number of rows is fine. A panel is a sequence of vectors of 64 bytes, in each of which its 16
// rows lie side by side with a few columns each: bytes 4r..4r+3 are row r's. Some vectors make a
// "group":
//
//   format  columns  vectors  bytes 4r..4r+3
//   q4      32        4       vector v: low nibbles are columns 4v..4v+3, high nibbles columns
//                             16+4v..16+4v+3; w = s * (n - 8)
//   q8      32        8       vector v: columns 4v..4v+3, stored unsigned; w = s * (u - 128)
//   bf16    2         1       both columns; a missing last one is zero
//   f32     1         1       the column
//
// Two panels make a pair (the last one may be padded with a panel of zeros), and lie in memory as
//
//   [pairs][n_groups] of: [vectors][2 panels][64 bytes], then for q4 and q8
//                         the block's scales s, f16 as the file has them, [2 panels][16]
//
// so that a kernel that takes a pair at a time reads the matrix as one stream, line by line: what
// memory and its prefetchers do best.
//
// This header is read by code compiled for one instruction set: nothing in it may leave a weak
// symbol (no inline function, no template).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hymt::cpu {

constexpr int kPanelRows = 16;
constexpr int kBlockColumns = 32;

enum class Format : uint8_t { q4, q8, bf16, f32 };
constexpr int kFormats = 4;

struct Panels {
  Format format;
  int n_columns;  // of the matrix: the length of an input row; a multiple of 32 for q4 and q8
  int n_panels;   // without padding
  int n_groups;   // of a panel
  const uint8_t* groups;  // [(n_panels + 1) / 2][n_groups][kPairBytes[format]], 64-byte aligned
};

// By format.
constexpr int kGroupColumns[kFormats] = {32, 32, 2, 1};
constexpr int kGroupVectors[kFormats] = {4, 8, 1, 1};
constexpr size_t kVectorStride = 128;  // from a panel's vector to its next
constexpr size_t kPairBytes[kFormats] = {4 * 128 + 64, 8 * 128 + 64, 128,
                                         128};                    // of a pair's group
constexpr size_t kScalesAt[kFormats] = {4 * 128, 8 * 128, 0, 0};  // in it

}  // namespace hymt::cpu
