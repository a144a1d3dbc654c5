// Chooses a kernel table: data, decided once at start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cpu/kernels/kernels.h"

namespace hymt::cpu {

// The tables this machine can run, best first; "scalar" is always the last.
std::vector<std::string> kernel_names();

// "auto" is the best one. unsupported if the name is unknown or this machine cannot run it.
Result<Kernels> find_kernels(std::string_view name);

}  // namespace hymt::cpu
