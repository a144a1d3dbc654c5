// Where the time of forward passes goes, beside the least that each part could take: what
// `hymt bench` prints. Used by the thread that runs the passes.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "cpu/ceilings.h"

namespace hymt::cpu {

enum class Part : uint8_t {
  look_up,   // rows of the embedding
  norms,     // norms, and turning rows into what products read
  qkv,       // products, by matrix
  rotation,  // RoPE, q and k norms, storing K and V
  attention,
  o,
  gate_up,
  down,
  vocabulary,  // the product of the output matrix, and
  choice,      // what is made of its logits: arg-max, sums; as worker 0 sees it
};
constexpr std::array kAllParts = {Part::look_up,    Part::norms, Part::qkv,     Part::rotation,
                                  Part::attention,  Part::o,     Part::gate_up, Part::down,
                                  Part::vocabulary, Part::choice};
const char* name_of(Part part);

class Profile {
 public:
  struct Entry {
    double seconds = 0;  // of the thread that runs the passes, waiting for others included
    double operations[kFormats] = {};  // of products, two a multiply-add
    double bytes = 0;                  // of weights, keys and values read

    void add_product(const Panels& panels, size_t read, int n_rows);
    // `pairs`: of numbers of q and of k, as many again of weights and v; `read`: bytes of k, v.
    void add_attention(int64_t pairs, int64_t read);
  };

  // Times a part from construction to destruction; does nothing, not even look at a clock, if the
  // profile is null. Time of a part inside another counts for the inner one alone.
  class Timer {
   public:
    Timer(Profile* profile, Part part) : Timer(profile, part, part) {}
    Timer(Profile* profile, Part part, Part outer);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    Entry* entry_;
    Entry* outer_;
    std::chrono::steady_clock::time_point start_;
  };

  Entry& at(Part part) { return entries_[static_cast<size_t>(part)]; }
  const Entry& at(Part part) const { return entries_[static_cast<size_t>(part)]; }
  // Of all parts; without the operations of attention, for the usual limit counts weights only.
  Entry sum() const;
  void clear() { entries_ = {}; }

 private:
  std::array<Entry, kAllParts.size()> entries_;
};

// The larger of operations over their rate and bytes over theirs: no machine with these ceilings
// does it faster.
double least_seconds(const Profile::Entry& entry, const Ceilings& ceilings);

}  // namespace hymt::cpu
