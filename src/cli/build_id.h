// Which build of the program this is.
#pragma once

#include <string>

namespace hymt::cli {

// The version, and the build ID that the linker wrote into the program: a digest of what it
// consists of. Two programs of one ID compute the same.
std::string build_id();

}  // namespace hymt::cli
