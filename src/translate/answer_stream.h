// The tokens of one answer as the text of one paragraph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"
#include "translate/one_line.h"
#include "translate/stop_filter.h"

namespace hymt::translate {

// Whole characters only, cut at stop strings, without margins: each piece given out is final. One
// stream, one thread.
class AnswerStream {
 public:
  AnswerStream(const tokenizer::Tokenizer& tokenizer, const std::vector<std::string>& stops)
      : detokenizer_(tokenizer), stops_(stops) {}

  std::string push(tokenizer::Token token);
  std::string finish();
  bool stopped() const { return stops_.stopped(); }  // a stop string came: no more is needed

 private:
  tokenizer::Detokenizer detokenizer_;
  StopFilter stops_;
  OneLine line_;
};

}  // namespace hymt::translate
