// The layout of packed matrices, shared by every kernel table.
//
// A matrix is cut into panels of 16 output rows; rows past the matrix's end are zeros, so any
// number of rows is fine. Inside a panel the 16 rows lie side by side, a few columns of each at a
// time (a "group"): one 64-byte load feeds 16 outputs, and a kernel walks a panel front to back.
//
//   format  group                 bytes of a group, row r's part
//   q4      32 columns (a block)  4 x 64: vector v, bytes 4r..4r+3: low nibbles are columns
//                                 4v..4v+3, high nibbles columns 16+4v..16+4v+3; w = s * (n - 8)
//   q8      32 columns (a block)  8 x 64: vector g, bytes 4r..4r+3: columns 4g..4g+3, stored
//                                 unsigned; w = s * (u - 128)
//   bf16    2 columns             64: bytes 4r..4r+3; a missing last column is zero
//   f32     1 column              64: bytes 4r..4r+3
//
// Block scales s (f16, as the file has them) lie in a stream of their own:
// [n_panels][n_groups][16].
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
  int n_panels;
  int n_groups;            // of a panel
  const uint8_t* weights;  // [n_panels][n_groups][bytes of a group], 64-byte aligned
  const uint16_t* scales;  // [n_panels][n_groups][16]; null for bf16 and f32
};

}  // namespace hymt::cpu
