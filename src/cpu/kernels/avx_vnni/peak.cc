#include "cpu/kernels/avx2/peak.h"
#include "cpu/kernels/avx_vnni/dot.h"
#include "cpu/kernels/avx_vnni/multiply.h"

namespace hymt::cpu::avx_vnni {

double peak_int8(int64_t rounds) {
  return run<__m256i>(rounds, 64, add_products);
}

}  // namespace hymt::cpu::avx_vnni
