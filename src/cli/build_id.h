// Which build of the program this is.
#pragma once

#include <string>

namespace hymt::cli {

// The version, the build ID that the linker wrote into the program (a digest of what it consists
// of), and the version of the C library, whose mathematical functions it uses. Two programs of one
// ID compute the same.
std::string build_id();

}  // namespace hymt::cli
