// The vocabulary projection and what rows ask of it.
//
// The logits of a step are never in memory as a whole (except for rows that ask for all): the
// vocabulary is cut into chunks of fixed size, and each chunk's logits are reduced, while they are
// in the cache, to what is asked. Chunks and the order in which they are merged depend on
// the vocabulary alone, so that answers do not depend on the number of threads.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "cpu/buffer.h"
#include "cpu/graph/activations.h"
#include "cpu/graph/parallel.h"
#include "cpu/graph/plan.h"
#include "cpu/kernels/kernels.h"
#include "cpu/profile.h"
#include "cpu/weights/packed_matrix.h"
#include "model/batch.h"
#include "model/runner.h"

namespace hymt::cpu {

class Answers {
 public:
  static Result<Answers> allocate(int n_vocab, const model::Limits& limits, int n_workers);

  void commit();  // has the system give all of the memory now

  // One answer a row of the batch, from the final norm of the asking rows (`plan`'s rows, in
  // `input`). Valid until the next call.
  std::span<const model::Answer> compute(const model::Batch& batch, const Plan& plan,
                                         const Kernels& kernels, ThreadPool& pool,
                                         const PackedPanels& output, Activations& activations,
                                         Profile* profile = nullptr);

 private:
  // Some candidates of a row, best first; `n` of them at most its k.
  struct Best {
    model::Candidate* list;
    int n;
  };
  struct ChunkSum {
    float max;
    float sum;  // of exp(logit - max)
  };

  void reduce_chunk(const model::Ask& ask, int row, int chunk, float* logits,
                    const Kernels& kernels, Best& best);
  float log_sum_exp(int row) const;

  int n_vocab_ = 0;
  int n_chunks_ = 0;
  int max_asks_ = 0;
  int max_top_k_ = 0;
  std::vector<model::Answer> answers_;   // [max_batch_tokens]
  std::vector<Best> bests_;              // [workers + 1][max_asks]; the last: merged
  Buffer<model::Candidate> candidates_;  // [workers + 1][max_asks][max_top_k]
  Buffer<ChunkSum> sums_;                // [max_asks][n_chunks]
  Buffer<float> chunks_;                 // [workers][max_asks][chunk]
  Buffer<float> logits_;                 // [max_asks][n_vocab]
  std::unique_ptr<SharedRanges> ranges_;
};

}  // namespace hymt::cpu
