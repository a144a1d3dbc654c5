// A model file run once through the CPU's forward pass, every intermediate value kept.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cpu/graph/forward.h"
#include "tokenizer/vocabulary.h"

namespace hymt::cpu::test {

struct Values {
  int n_rows = 0;
  int n_columns = 0;
  std::vector<float> numbers;  // [n_rows][n_columns]
};

// "q.3" is value q of layer 3; "logits.0" [n_tokens][n_vocab]; "rotation.0" [n_tokens][d_head].
using TracedValues = std::map<std::string, Values>;

// Runs `tokens` as one sequence, every row asking for its logits. Failures end up in the test.
TracedValues trace_model(const std::string& gguf, const std::vector<tokenizer::Token>& tokens,
                         const std::string& kernels);

}  // namespace hymt::cpu::test
