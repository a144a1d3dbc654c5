// How large the allocations of a test are. Linking this replaces operator new of the test program.
#pragma once

#include <cstddef>

namespace hymt::test {

// Measures this thread's allocations from its construction on; one at a time.
class AllocationMeter {
 public:
  AllocationMeter();
  size_t largest() const;  // bytes of the largest single allocation
  size_t total() const;    // bytes of all of them together, freed or not
};

}  // namespace hymt::test
