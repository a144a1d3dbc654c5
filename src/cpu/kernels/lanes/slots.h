// The slots that every instruction set fills with the kernels of this folder. Include after the
// instruction set's lanes.h.
#pragma once

#include "cpu/kernels/lanes/attention.h"
#include "cpu/kernels/lanes/rows.h"

namespace hymt::cpu {
namespace {

inline void fill_lanes(Kernels& table) {
  table.quantize = quantize;
  table.to_bf16 = to_bf16;
  table.to_f16 = to_f16;
  table.rms_norm = rms_norm;
  table.rotate_and_norm = rotate_and_norm;
  table.to_int8 = to_int8;
  table.attend[static_cast<int>(KvType::f16)] = attend<F16Block>;
  table.attend[static_cast<int>(KvType::q8_0)] = attend<Int8Block>;
  table.arg_max = arg_max;
  table.sum_exp = sum_exp;
}

}  // namespace
}  // namespace hymt::cpu
