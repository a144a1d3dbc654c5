#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "base/quote.h"
#include "checkpoint/ggml_type.h"
#include "checkpoint/gguf.h"
#include "checkpoint/gguf_format.h"
#include "checkpoint/gguf_metadata.h"

namespace hymt::checkpoint {
namespace {

using gguf::cut_short;

// A name of one byte with its length, one dimension with their number, type, offset.
constexpr uint64_t kSmallestTensor = 8 + 1 + 4 + 8 + 4 + 8;

struct Counts {
  uint64_t tensors = 0;
  uint64_t pairs = 0;
};

Result<Counts> read_counts(ByteReader& in, const std::string& path) {
  const auto refuse = [&](const std::string& what, const char* field) {
    return fail(Code::invalid_argument, path + ": " + what, field);
  };
  std::string_view magic;
  if (!in.take(magic, sizeof gguf::kMagic)) return cut_short(in, path, "the magic");
  if (std::memcmp(magic.data(), gguf::kMagic, sizeof gguf::kMagic) != 0) {
    return refuse("not a GGUF file: it starts with " + in_quotes(magic) + ", not 'GGUF'", "magic");
  }
  uint32_t version = 0;
  if (!in.take(version)) return cut_short(in, path, "the version");
  if (version != 0 && (version & 0xFFFF) == 0) {
    return refuse("GGUF version " + std::to_string(version) +
                      ": the file is big-endian; use a little-endian one",
                  "version");
  }
  if (version < 2 || version > 3) {
    return refuse("GGUF version " + std::to_string(version) +
                      " is not supported (2 and 3 are): convert the model again",
                  "version");
  }
  Counts counts;
  if (!in.take(counts.tensors)) return cut_short(in, path, "the tensor count");
  if (!in.take(counts.pairs)) return cut_short(in, path, "the metadata count");
  if (counts.tensors > in.left() / kSmallestTensor) {
    return refuse("the tensor count is " + std::to_string(counts.tensors) +
                      ", more than the file's size allows",
                  "tensor count");
  }
  return counts;
}

// A tensor's entry, its data's place not yet resolved: offsets count from the end of all entries.
struct Entry {
  std::string_view name;
  DType type = DType::f32;
  std::vector<int64_t> shape;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

class EntryReader {
 public:
  EntryReader(ByteReader& in, const std::string& path) : in_(in), path_(path) {}

  Result<Entry> read(uint32_t alignment) {
    Entry entry;
    name_ = entry.name = HYMT_TRY(gguf::read_string(in_, path_, "a tensor's name"));
    if (entry.name.empty()) {
      return fail(Code::invalid_argument, path_ + ": a tensor's name is empty", "tensor name");
    }
    entry.shape = HYMT_TRY(shape());
    uint32_t type = 0;
    if (!in_.take(type)) return truncated("type");
    const auto known = dtype_of_ggml(type);
    if (!known) {
      return fail(Code::unsupported,
                  path_ + ": tensor " + in_quotes(name_) + " has type " + ggml_name(type) +
                      ", which is not supported: use a file with F32, F16, BF16, Q8_0 or Q4_0 "
                      "weights",
                  std::string(name_));
    }
    entry.type = *known;
    entry.bytes = HYMT_TRY(data_bytes(entry));
    if (!in_.take(entry.offset)) return truncated("offset");
    if (entry.offset % alignment != 0) {
      return refuse("offset " + std::to_string(entry.offset) + " is no multiple of the alignment " +
                    std::to_string(alignment));
    }
    return entry;
  }

 private:
  tl::unexpected<Error> refuse(const std::string& what) const {
    return fail(Code::invalid_argument, path_ + ": tensor " + in_quotes(name_) + ": " + what,
                std::string(name_));
  }
  tl::unexpected<Error> truncated(const char* what) const {
    return cut_short(in_, path_, std::string("the ") + what + " of tensor " + in_quotes(name_));
  }

  // Outermost first; the file has it the other way round.
  Result<std::vector<int64_t>> shape() {
    uint32_t n_dimensions = 0;
    if (!in_.take(n_dimensions)) return truncated("number of dimensions");
    if (n_dimensions < 1 || n_dimensions > gguf::kMaxDimensions) {
      return refuse(std::to_string(n_dimensions) + " dimensions, not 1 to 4");
    }
    std::vector<int64_t> shape(n_dimensions);
    for (size_t i = n_dimensions; i-- > 0;) {
      uint64_t size = 0;
      if (!in_.take(size)) return truncated("shape");
      if (size == 0 || size > INT64_MAX) {
        return refuse("a dimension is " + std::to_string(size));
      }
      shape[i] = static_cast<int64_t>(size);
    }
    return shape;
  }

  Result<uint64_t> data_bytes(const Entry& entry) const {
    const BlockShape block = block_shape(entry.type);
    const int64_t columns = entry.shape.back();
    if (columns % block.elements != 0) {
      return refuse("rows of " + std::to_string(columns) + " elements are no multiple of " +
                    std::string(checkpoint::name(entry.type)) + "'s block of " +
                    std::to_string(block.elements));
    }
    auto bytes = static_cast<uint64_t>(columns / block.elements);
    bool too_large = __builtin_mul_overflow(bytes, static_cast<uint64_t>(block.bytes), &bytes);
    for (size_t i = 0; i + 1 < entry.shape.size(); ++i) {
      too_large |= __builtin_mul_overflow(bytes, static_cast<uint64_t>(entry.shape[i]), &bytes);
    }
    if (too_large) return refuse("its size in bytes passes 2^64");
    return bytes;
  }

  ByteReader& in_;
  const std::string& path_;
  std::string_view name_;  // the entry being read
};

Result<std::vector<Entry>> read_entries(ByteReader& in, uint64_t count, uint32_t alignment,
                                        const std::string& path) {
  std::vector<Entry> entries;
  std::unordered_set<std::string_view> names;
  EntryReader reader(in, path);
  for (uint64_t i = 0; i < count; ++i) {
    entries.push_back(HYMT_TRY(reader.read(alignment)));
    const std::string_view name = entries.back().name;
    if (!names.insert(name).second) {
      return fail(Code::invalid_argument, path + ": tensor " + in_quotes(name) + " appears twice",
                  std::string(name));
    }
  }
  return entries;
}

// Every tensor lies inside the file, and no two share a byte.
Result<void> check_places(const std::vector<Entry>& entries, uint64_t data_size,
                          const std::string& path) {
  std::vector<const Entry*> by_offset;
  for (const Entry& entry : entries) {
    if (entry.bytes > data_size || entry.offset > data_size - entry.bytes) {
      return fail(Code::invalid_argument,
                  path + ": tensor " + in_quotes(entry.name) + ": its " +
                      std::to_string(entry.bytes) + " bytes at offset " +
                      std::to_string(entry.offset) + " end past the file, which has " +
                      std::to_string(data_size) + " bytes of data: it is cut short or damaged",
                  std::string(entry.name));
    }
    by_offset.push_back(&entry);
  }
  std::sort(by_offset.begin(), by_offset.end(),
            [](const Entry* a, const Entry* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < by_offset.size(); ++i) {
    const Entry& before = *by_offset[i - 1];
    const Entry& after = *by_offset[i];
    if (before.offset + before.bytes > after.offset) {
      return fail(Code::invalid_argument,
                  path + ": tensor " + in_quotes(after.name) + ": offset " +
                      std::to_string(after.offset) + " lies inside tensor " +
                      in_quotes(before.name),
                  std::string(after.name));
    }
  }
  return {};
}

}  // namespace

Result<Checkpoint> read_gguf(Bytes file, const std::string& path) {
  ByteReader in(file);
  const Counts counts = HYMT_TRY(read_counts(in, path));
  gguf::Metadata metadata = HYMT_TRY(gguf::read_metadata(in, counts.pairs, path));
  const auto entries = HYMT_TRY(read_entries(in, counts.tensors, metadata.alignment, path));

  // A file without tensors may end right behind its header.
  const uint64_t data_at =
      std::min<uint64_t>(gguf::align_up(in.at(), metadata.alignment), file.size());
  HYMT_TRY(check_places(entries, file.size() - data_at, path));

  Checkpoint checkpoint{
      .path = path, .metadata = std::move(metadata.values), .tensors = {}, .owners = {}};
  checkpoint.tensors.reserve(entries.size());
  for (const Entry& entry : entries) {
    checkpoint.tensors.push_back({.name = std::string(entry.name),
                                  .type = entry.type,
                                  .shape = entry.shape,
                                  .data = file.subspan(data_at + entry.offset, entry.bytes)});
  }
  return checkpoint;
}

Result<Checkpoint> read_gguf(const std::string& path) {
  auto file = HYMT_TRY(MappedFile::open(path));
  Checkpoint checkpoint = HYMT_TRY(read_gguf(file->bytes(), path));
  checkpoint.owners.push_back(std::move(file));
  return checkpoint;
}

}  // namespace hymt::checkpoint
