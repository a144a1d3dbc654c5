// The limits of what a request may hold. Types are the dialects' to check, values are checked here.
#pragma once

#include "base/result.h"
#include "translate/request.h"

namespace hymt::translate {

// invalid_argument, naming the field, for: text that is not UTF-8; a number out of range (NaN is);
// more texts, stop strings or terms than allowed; an empty stop string; a term that is empty or
// has a line break.
Result<void> check_request(const Request& request, size_t max_texts, int n_vocab);

}  // namespace hymt::translate
