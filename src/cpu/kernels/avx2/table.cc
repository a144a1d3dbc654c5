#include "cpu/kernels/avx2/lanes.h"
#include "cpu/kernels/avx2/multiply.h"
#include "cpu/kernels/lanes/attention.h"
#include "cpu/kernels/lanes/rows.h"
#include "cpu/kernels/tables.h"

namespace hymt::cpu {

void fill_avx2(Kernels& table) {
  table.name = "avx2";
  table.multiply[static_cast<int>(Format::q4)] = avx2::multiply_q4;
  table.multiply[static_cast<int>(Format::q8)] = avx2::multiply_q8;
  table.multiply[static_cast<int>(Format::bf16)] = avx2::multiply_bf16;
  table.multiply[static_cast<int>(Format::f32)] = avx2::multiply_f32;
  table.peak[static_cast<int>(Format::q4)] = avx2::peak_q4;
  table.peak[static_cast<int>(Format::q8)] = avx2::peak_q8;
  table.peak[static_cast<int>(Format::bf16)] = avx2::peak_f32;
  table.peak[static_cast<int>(Format::f32)] = avx2::peak_f32;
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

}  // namespace hymt::cpu
