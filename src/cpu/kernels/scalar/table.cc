#include "cpu/kernels/scalar/scalar.h"
#include "cpu/kernels/tables.h"

namespace hymt::cpu {

void fill_scalar(Kernels& table) {
  table.name = "scalar";
  table.multiply[static_cast<int>(Format::q4)] = scalar::multiply_q4;
  table.multiply[static_cast<int>(Format::q8)] = scalar::multiply_q8;
  table.multiply[static_cast<int>(Format::bf16)] = scalar::multiply_bf16;
  table.multiply[static_cast<int>(Format::f32)] = scalar::multiply_f32;
  table.peak[static_cast<int>(Format::q4)] = scalar::peak_int8;
  table.peak[static_cast<int>(Format::q8)] = scalar::peak_int8;
  table.peak[static_cast<int>(Format::bf16)] = scalar::peak_f32;
  table.peak[static_cast<int>(Format::f32)] = scalar::peak_f32;
  table.quantize = scalar::quantize;
  table.to_bf16 = scalar::to_bf16;
  table.to_f16 = scalar::to_f16;
  table.rms_norm = scalar::rms_norm;
  table.rotate_and_norm = scalar::rotate_and_norm;
  table.to_int8 = scalar::to_int8;
  table.attend[static_cast<int>(KvType::f16)] = scalar::attend_f16;
  table.attend[static_cast<int>(KvType::q8_0)] = scalar::attend_q8;
  table.arg_max = scalar::arg_max;
  table.sum_exp = scalar::sum_exp;
}

}  // namespace hymt::cpu
