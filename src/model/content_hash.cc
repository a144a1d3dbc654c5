#include "model/content_hash.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>
#include <vector>

namespace hymt::model {
namespace {

// A sequence of values, each with its size or kind, so that no two sequences read the same.
class Digest {
 public:
  Digest() : state_(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state_.get()); }

  void add(const void* bytes, size_t size) { XXH3_128bits_update(state_.get(), bytes, size); }
  void add(uint64_t value) { add(&value, sizeof value); }
  void add(int64_t value) { add(static_cast<uint64_t>(value)); }
  void add(bool value) { add(uint64_t{value}); }
  void add(double value) { add(std::bit_cast<uint64_t>(value)); }
  void add(const std::string& text) {
    add(uint64_t{text.size()});
    add(text.data(), text.size());
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(uint64_t{values.size()});
    for (const auto& value : values) add(static_cast<const T&>(value));
  }

  XXH128_hash_t value() const { return XXH3_128bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

}  // namespace

std::string content_hash(const checkpoint::Checkpoint& checkpoint, ThreadPool& pool) {
  // Pieces of one size, so that the threads have equal work whatever the tensors' sizes are.
  constexpr size_t kPiece = size_t{4} << 20;
  std::vector<Bytes> pieces;
  for (const auto& tensor : checkpoint.tensors) {
    for (size_t at = 0; at < tensor.data.size(); at += kPiece) {
      pieces.push_back(tensor.data.subspan(at, std::min(kPiece, tensor.data.size() - at)));
    }
  }
  std::vector<XXH128_hash_t> hashes(pieces.size());
  pool.run([&](int worker) {
    const auto share = share_of(static_cast<int>(pieces.size()), worker, pool.size());
    for (auto i = static_cast<size_t>(share.begin); i < static_cast<size_t>(share.end); ++i) {
      hashes[i] = XXH3_128bits(pieces[i].data(), pieces[i].size());
    }
  });

  Digest digest;
  digest.add(uint64_t{checkpoint.metadata.size()});
  for (const auto& [key, value] : checkpoint.metadata) {
    digest.add(key);
    digest.add(uint64_t{value.index()});
    std::visit([&](const auto& held) { digest.add(held); }, value);
  }
  for (const auto& tensor : checkpoint.tensors) {
    digest.add(tensor.name);
    digest.add(static_cast<uint64_t>(tensor.type));
    digest.add(tensor.shape);
    digest.add(uint64_t{tensor.data.size()});
  }
  for (const XXH128_hash_t& hash : hashes) {
    digest.add(uint64_t{hash.high64});
    digest.add(uint64_t{hash.low64});
  }
  const XXH128_hash_t hash = digest.value();
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

}  // namespace hymt::model
