#include "checkpoint/safetensors.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/quote.h"
#include "checkpoint/byte_reader.h"
#include "checkpoint/safetensors_header.h"

namespace hymt::checkpoint {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr size_t kMaxIndexBytes = 100'000'000;

std::optional<DType> dtype_named(const std::string& dtype) {
  if (dtype == "F32") return DType::f32;
  if (dtype == "F16") return DType::f16;
  if (dtype == "BF16") return DType::bf16;
  return std::nullopt;
}

// One file.
class Shard {
 public:
  static Result<Shard> open(const std::string& path) {
    Shard shard(path);
    shard.file_ = HYMT_TRY(MappedFile::open(path));
    ByteReader in(shard.file_->bytes());
    uint64_t size = 0;
    std::string_view header;
    if (!in.take(size)) return shard.refuse("the file ends inside the header's length");
    if (size > kMaxHeaderBytes || !in.take(header, size)) {
      return shard.refuse("the header's length is " + std::to_string(size) + ", the file has " +
                          std::to_string(in.left()) + " bytes behind it");
    }
    shard.data_ = shard.file_->bytes().subspan(in.at());
    shard.entries_ = HYMT_TRY(parse_safetensors_header(header, path));
    return shard;
  }

  // Appends its tensors to the checkpoint.
  Result<void> add_to(Checkpoint& checkpoint) {
    HYMT_TRY(check_places());
    for (SafetensorsEntry& entry : entries_) {
      Tensor tensor;
      tensor.type = HYMT_TRY(type(entry));
      tensor.data = HYMT_TRY(bytes(entry, tensor.type));
      tensor.shape.assign(entry.shape.begin(), entry.shape.end());
      tensor.name = std::move(entry.name);
      checkpoint.tensors.push_back(std::move(tensor));
    }
    checkpoint.owners.push_back(file_);
    return {};
  }

 private:
  explicit Shard(std::string path) : path_(std::move(path)) {}

  tl::unexpected<Error> refuse(const std::string& what, Code code = Code::invalid_argument) const {
    return fail(code, path_ + ": " + what);
  }
  tl::unexpected<Error> refuse(const SafetensorsEntry& entry, const std::string& what,
                               Code code = Code::invalid_argument) const {
    return fail(code, path_ + ": tensor " + in_quotes(entry.name) + ": " + what, entry.name);
  }

  Result<DType> type(const SafetensorsEntry& entry) const {
    if (const auto type = dtype_named(entry.dtype)) return *type;
    return refuse(entry,
                  "type " + in_quotes(entry.dtype) +
                      " is not supported: use a checkpoint in BF16, F16 or F32, or a GGUF file",
                  Code::unsupported);
  }

  Result<Bytes> bytes(const SafetensorsEntry& entry, DType type) const {
    auto size = static_cast<uint64_t>(block_shape(type).bytes);
    for (const uint64_t one : entry.shape) {
      if (one == 0 || one > INT64_MAX) {
        return refuse(entry, "a dimension is " + std::to_string(one));
      }
      if (__builtin_mul_overflow(size, one, &size)) {
        return refuse(entry, "its size in bytes passes 2^64");
      }
    }
    if (entry.end - entry.begin != size) {
      return refuse(entry, "data_offsets span " + std::to_string(entry.end - entry.begin) +
                               " bytes, but its shape and type need " + std::to_string(size));
    }
    return data_.subspan(entry.begin, size);
  }

  // Every range lies inside the file, and no two share a byte.
  Result<void> check_places() const {
    std::vector<const SafetensorsEntry*> by_begin;
    for (const SafetensorsEntry& entry : entries_) {
      if (entry.begin > entry.end || entry.end > data_.size()) {
        return refuse(entry, "data_offsets " + std::to_string(entry.begin) + " to " +
                                 std::to_string(entry.end) + " do not lie in the file's " +
                                 std::to_string(data_.size()) +
                                 " bytes of data: it is cut short or damaged");
      }
      by_begin.push_back(&entry);
    }
    std::sort(by_begin.begin(), by_begin.end(),
              [](const auto* a, const auto* b) { return a->begin < b->begin; });
    for (size_t i = 1; i < by_begin.size(); ++i) {
      if (by_begin[i - 1]->end > by_begin[i]->begin) {
        return refuse(*by_begin[i],
                      "data_offsets overlap tensor " + in_quotes(by_begin[i - 1]->name));
      }
    }
    return {};
  }

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  Bytes data_;
  std::vector<SafetensorsEntry> entries_;
};

// Where the index says each tensor lies, by file.
using ShardNames = std::map<std::string, std::vector<std::string>>;

Result<ShardNames> read_index(const std::string& path) {
  const auto file = HYMT_TRY(MappedFile::open(path));
  const Bytes bytes = file->bytes();
  if (bytes.size() > kMaxIndexBytes) return fail(Code::invalid_argument, path + ": too large");
  ShardNames shards;
  for (auto& [tensor, shard] : HYMT_TRY(parse_safetensors_index(
           {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path))) {
    // A name of a file beside the index, and of none elsewhere.
    if (shard.empty() || shard.front() == '.' || shard.find('/') != std::string::npos ||
        shard.find('\0') != std::string::npos) {
      return fail(Code::invalid_argument,
                  path + ": " + in_quotes(tensor) + " lies in " + in_quotes(shard) +
                      ", which is no name of a file beside it",
                  tensor);
    }
    shards[shard].push_back(std::move(tensor));
  }
  if (shards.empty()) return fail(Code::invalid_argument, path + ": no weight_map");
  return shards;
}

Result<Checkpoint> read_shards(const std::string& folder, const ShardNames& shards) {
  Checkpoint checkpoint;
  checkpoint.path = folder;
  std::unordered_map<std::string, std::string> found;  // tensor -> shard
  for (const auto& [file, promised] : shards) {
    const std::string path = folder + "/" + file;
    Shard shard = HYMT_TRY(Shard::open(path));
    const size_t first = checkpoint.tensors.size();
    HYMT_TRY(shard.add_to(checkpoint));
    for (size_t i = first; i < checkpoint.tensors.size(); ++i) {
      const std::string& name = checkpoint.tensors[i].name;
      const auto [at, added] = found.emplace(name, file);
      if (!added) {
        return fail(Code::invalid_argument,
                    path + ": tensor " + in_quotes(name) + " is also in " + in_quotes(at->second),
                    name);
      }
    }
    for (const std::string& name : promised) {
      const auto at = found.find(name);
      if (at == found.end() || at->second != file) {
        return fail(
            Code::invalid_argument,
            path + ": tensor " + in_quotes(name) + ", which the index puts here, is missing", name);
      }
    }
  }
  return checkpoint;
}

}  // namespace

Result<Checkpoint> read_safetensors(const std::string& folder) {
  std::error_code error;
  const std::string index = folder + "/model.safetensors.index.json";
  if (!std::filesystem::exists(folder + "/model.safetensors", error) &&
      std::filesystem::exists(index, error)) {
    return read_shards(folder, HYMT_TRY(read_index(index)));
  }
  return read_shards(folder, {{"model.safetensors", {}}});
}

}  // namespace hymt::checkpoint
