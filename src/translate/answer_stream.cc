#include "translate/answer_stream.h"

namespace hymt::translate {

std::string AnswerStream::push(tokenizer::Token token) {
  return line_.push(stops_.push(detokenizer_.push(token)));
}

std::string AnswerStream::finish() {
  std::string text = stops_.push(detokenizer_.finish());
  text += stops_.finish();
  return line_.push(text);
}

}  // namespace hymt::translate
