#include "cpu/kernels/avx512/lanes.h"
#include "cpu/kernels/avx512/multiply.h"
#include "cpu/kernels/cpu_features.h"
#include "cpu/kernels/lanes/slots.h"
#include "cpu/kernels/tables.h"

namespace hymt::cpu {

void fill_avx512(Kernels& table) {
  table.name = "avx512";
  table.multiply[static_cast<int>(Format::q4)] =
      is_amd() ? avx512::multiply_q4 : avx512::multiply_q4_by_bytes;
  table.multiply[static_cast<int>(Format::q8)] = avx512::multiply_q8;
  table.multiply[static_cast<int>(Format::bf16)] = avx512::multiply_bf16;
  table.multiply[static_cast<int>(Format::f32)] = avx512::multiply_f32;
  table.peak[static_cast<int>(Format::q4)] = avx512::peak_int8;
  table.peak[static_cast<int>(Format::q8)] = avx512::peak_int8;
  table.peak[static_cast<int>(Format::bf16)] = avx512::peak_bf16;
  table.peak[static_cast<int>(Format::f32)] = avx512::peak_f32;
  fill_lanes(table);
}

}  // namespace hymt::cpu
