#include "cpu/kernels/tables.h"

namespace hymt::cpu {

void fill_avx512(Kernels& table) {
  table.name = "avx512";
}

}  // namespace hymt::cpu
