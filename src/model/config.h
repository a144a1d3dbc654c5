// The shape of a model. The vocabulary of shapes used everywhere: n_tokens, n_seqs, d_model,
// n_heads, n_kv_heads, d_head, d_ff, n_vocab.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "checkpoint/checkpoint.h"

namespace hymt::model {

struct Config {
  int n_layers = 0;
  int d_model = 0;
  int n_heads = 0;     // query heads
  int n_kv_heads = 0;  // n_heads is a multiple of it
  int d_head = 0;      // even; n_heads * d_head need not be d_model
  int d_ff = 0;
  int n_vocab = 0;
  int n_context = 0;     // longest position + 1
  double rope_base = 0;  // already alpha-scaled
  float rms_epsilon = 0;

  int d_query() const { return n_heads * d_head; }
  int d_kv() const { return n_kv_heads * d_head; }
};

// From the metadata of architecture "hunyuan-dense", every number checked against sane limits and
// against the others.
Result<Config> read_config(const checkpoint::Checkpoint& checkpoint);

// inv_freq[i] = rope_base^(-2i/d_head), computed in double. [d_head / 2]
std::vector<double> rope_frequencies(const Config& config);

// The static base of Hunyuan's scaling: theta * alpha^(d/(d-2)).
double scaled_rope_base(double theta, double alpha, int d_head);

}  // namespace hymt::model
