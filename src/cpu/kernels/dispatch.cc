#include "cpu/kernels/dispatch.h"

#include <array>

#include "cpu/kernels/cpu_features.h"
#include "cpu/kernels/tables.h"

namespace hymt::cpu {
namespace {

struct Implementation {
  std::string_view name;
  bool (*runs_here)();
  void (*fill)(Kernels&);
};

// Best first. A table starts as a copy of the scalar one, so a slot that an instruction set does
// not fill is never empty.
constexpr std::array kImplementations = {
#if defined(__x86_64__)
    Implementation{"avx512", has_avx512, fill_avx512},
    Implementation{"avx_vnni", has_avx_vnni, fill_avx_vnni},
    Implementation{"avx2", has_avx2, fill_avx2},
#endif
#if defined(__aarch64__)
    Implementation{"neon", has_neon, fill_neon},
#endif
    Implementation{"scalar", [] { return true; }, fill_scalar},
};

std::string join(const std::vector<std::string>& names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& implementation : kImplementations) {
    if (implementation.runs_here()) names.emplace_back(implementation.name);
  }
  return names;
}

Result<Kernels> find_kernels(std::string_view name) {
  for (const auto& implementation : kImplementations) {
    if (!implementation.runs_here() || (name != "auto" && name != implementation.name)) continue;
    Kernels table;
    fill_scalar(table);
    implementation.fill(table);
    return table;
  }
  return fail(Code::unsupported, "this machine cannot run the kernels '" + std::string(name) +
                                     "'; it can run: auto, " + join(kernel_names()));
}

}  // namespace hymt::cpu
