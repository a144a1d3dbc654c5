// CHECK is for our own bugs: it prints the broken condition and aborts. Never for input.
#pragma once

namespace hymt::internal {
[[noreturn]] void check_failed(const char* file, int line, const char* condition);
}

#define HYMT_CHECK(condition) \
  ((condition) ? (void)0 : ::hymt::internal::check_failed(__FILE__, __LINE__, #condition))
