#include "cpu/kernels/avx_vnni/multiply.h"
#include "cpu/kernels/tables.h"

namespace hymt::cpu {

void fill_avx_vnni(Kernels& table) {
  fill_avx2(table);  // all but the products of integers
  table.name = "avx_vnni";
  table.multiply[static_cast<int>(Format::q4)] = avx_vnni::multiply_q4;
  table.multiply[static_cast<int>(Format::q8)] = avx_vnni::multiply_q8;
  table.peak[static_cast<int>(Format::q4)] = avx_vnni::peak_int8;
  table.peak[static_cast<int>(Format::q8)] = avx_vnni::peak_int8;
}

}  // namespace hymt::cpu
