#include "cpu/kernels/tables.h"

namespace hymt::cpu {

void fill_avx2(Kernels& table) {
  table.name = "avx2";
}

}  // namespace hymt::cpu
