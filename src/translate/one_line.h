// Keeps an answer within its paragraph: no white space at its margins, no line break inside.
#pragma once

#include <string>
#include <string_view>

namespace hymt::translate {

// The margins of a translation are those of its source, which are put back around it; and a
// paragraph has no line break, so neither has its translation: as many lines come out as went in.
// White space with a line break in it becomes one space, other white space is left as it is.
class OneLine {
 public:
  std::string push(std::string_view text);  // whole characters; text that will not change any more

 private:
  std::string held_;     // white space since the last character that is none
  bool broken_ = false;  // with a line break in it
  bool begun_ = false;
};

}  // namespace hymt::translate
