#include "cpu/kernels/avx2/lanes.h"
#include "cpu/kernels/avx2/multiply.h"
#include "cpu/kernels/lanes/slots.h"
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
  fill_lanes(table);
}

}  // namespace hymt::cpu
