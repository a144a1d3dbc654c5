// Unicode normalisation form C, in time that grows linearly whatever the text holds.
#pragma once

#include <string>
#include <string_view>

namespace hymt::tokenizer {

// The text, which must be valid UTF-8 and shorter than 1 GiB, in NFC.
std::string to_nfc(std::string_view text);

// The text with every long run of combining marks decomposed and in canonical order, all else as
// it was: canonically equivalent. ICU sorts marks by insertion, so a run of n marks in the worst
// order would cost it n² steps; after this it finds nothing to move.
std::string order_long_mark_runs(std::string_view text);

}  // namespace hymt::tokenizer
