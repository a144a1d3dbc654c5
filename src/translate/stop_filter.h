// Ends a stream of text at the first stop string, wherever the pieces of the stream are cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hymt::translate {

// Holds back text that could be the beginning of a stop string, so that nothing of one is ever
// given out. What is given out does not depend on how the stream is cut: the stop string that is
// complete first ends it (of several that end at one place, the one that began first).
class StopFilter {
 public:
  explicit StopFilter(std::vector<std::string> stops);  // none of them empty

  std::string push(std::string_view text);  // text that is certain; nothing more once stopped
  std::string finish();                     // what was held back, as no stop string came of it
  bool stopped() const { return stopped_; }

 private:
  size_t held_from() const;  // where in held_ a stop string may begin

  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace hymt::translate
