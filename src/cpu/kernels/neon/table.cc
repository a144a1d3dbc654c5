#include "cpu/kernels/tables.h"

#include "cpu/kernels/neon/lanes.h"
#include "cpu/kernels/neon/multiply.h"

#include "cpu/kernels/lanes/slots.h"

namespace hymt::cpu {

void fill_neon(Kernels& table) {
  table.name = "neon";
  table.multiply[static_cast<int>(Format::q4)] = neon::multiply_q4;
  table.multiply[static_cast<int>(Format::q8)] = neon::multiply_q8;
  table.multiply[static_cast<int>(Format::bf16)] = neon::multiply_bf16;
  table.multiply[static_cast<int>(Format::f32)] = neon::multiply_f32;
  table.peak[static_cast<int>(Format::q4)] = neon::peak_int8;
  table.peak[static_cast<int>(Format::q8)] = neon::peak_int8;
  table.peak[static_cast<int>(Format::bf16)] = neon::peak_f32;
  table.peak[static_cast<int>(Format::f32)] = neon::peak_f32;
  fill_lanes(table);
}

}  // namespace hymt::cpu
