#include "checkpoint/gguf_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "base/check.h"
#include "base/quote.h"
#include "checkpoint/ggml_type.h"
#include "checkpoint/gguf.h"
#include "checkpoint/gguf_format.h"

namespace hymt::checkpoint {
namespace {

using namespace gguf;

template <class T>
void put(std::string& out, T number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& out, const std::string& text) {
  put<uint64_t>(out, text.size());
  out += text;
}

template <class T>
bool fits(int64_t value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

bool is_float(double value) {
  return std::isnan(value) || static_cast<double>(static_cast<float>(value)) == value;
}

// A value with its type before it.
class ValueWriter {
 public:
  ValueWriter(std::string& out, bool force_float) : out_(out), force_float_(force_float) {}

  void operator()(bool value) const { typed<uint8_t>(kBool, value); }
  void operator()(int64_t value) const {
    if (fits<uint32_t>(value)) return typed(kUint32, static_cast<uint32_t>(value));
    if (fits<int32_t>(value)) return typed(kInt32, static_cast<int32_t>(value));
    typed(kInt64, value);
  }
  void operator()(uint64_t value) const { typed(kUint64, value); }
  void operator()(double value) const {
    if (force_float_ || is_float(value)) return typed(kFloat32, static_cast<float>(value));
    typed(kFloat64, value);
  }
  void operator()(const std::string& value) const {
    put<uint32_t>(out_, kString);
    put(out_, value);
  }
  void operator()(const std::vector<bool>& values) const {
    array(kBool, values.size());
    for (const bool value : values) put<uint8_t>(out_, value);
  }
  void operator()(const std::vector<int64_t>& values) const {
    if (std::all_of(values.begin(), values.end(), fits<int32_t>)) {
      array(kInt32, values.size());
      for (const int64_t value : values) put(out_, static_cast<int32_t>(value));
    } else {
      array(kInt64, values.size());
      for (const int64_t value : values) put(out_, value);
    }
  }
  void operator()(const std::vector<double>& values) const {
    if (force_float_ || std::all_of(values.begin(), values.end(), is_float)) {
      array(kFloat32, values.size());
      for (const double value : values) put(out_, static_cast<float>(value));
    } else {
      array(kFloat64, values.size());
      for (const double value : values) put(out_, value);
    }
  }
  void operator()(const std::vector<std::string>& values) const {
    array(kString, values.size());
    for (const std::string& value : values) put(out_, value);
  }

 private:
  template <class T>
  void typed(ValueType type, T value) const {
    put<uint32_t>(out_, type);
    put(out_, value);
  }
  void array(ValueType type, uint64_t count) const {
    put<uint32_t>(out_, kArray);
    put<uint32_t>(out_, type);
    put(out_, count);
  }

  std::string& out_;
  bool force_float_;
};

void put_metadata(std::string& out, const std::map<std::string, Value>& metadata) {
  std::string own_prefix = "?";
  const auto architecture = metadata.find("general.architecture");
  if (architecture != metadata.end()) {
    if (const auto* name = std::get_if<std::string>(&architecture->second)) own_prefix = *name;
  }
  own_prefix += ".";
  for (const auto& [key, value] : metadata) {
    if (key == kAlignmentKey) continue;  // the source's; ours is the default
    put(out, key);
    std::visit(ValueWriter(out, key.starts_with(own_prefix)), value);
  }
}

Result<void> check(const std::vector<TensorPlan>& tensors, const std::string& path) {
  std::unordered_set<std::string_view> names;
  for (const TensorPlan& tensor : tensors) {
    const auto refuse = [&](const char* what) {
      return fail(Code::invalid_argument, path + ": tensor " + in_quotes(tensor.name) + " " + what,
                  tensor.name);
    };
    if (tensor.name.empty()) return refuse("has no name");
    if (!names.insert(tensor.name).second) return refuse("appears twice");
    if (tensor.shape.empty() || tensor.shape.size() > kMaxDimensions) {
      return refuse("has not 1 to 4 dimensions");
    }
    if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t n) { return n < 1; })) {
      return refuse("has an empty dimension");
    }
    if (tensor.columns() % block_shape(tensor.type).elements != 0) {
      return refuse("has rows that are no multiple of its type's block");
    }
  }
  return {};
}

}  // namespace

int64_t TensorPlan::rows() const {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return rows;
}

uint64_t TensorPlan::row_size() const {
  return row_bytes(type, columns());
}

Result<GgufWriter> GgufWriter::create(const std::string& path,
                                      const std::map<std::string, Value>& metadata,
                                      const std::vector<TensorPlan>& tensors) {
  HYMT_TRY(check(tensors, path));
  GgufWriter writer;
  std::string header(kMagic, sizeof kMagic);
  put(header, kVersion);
  put<uint64_t>(header, tensors.size());
  put<uint64_t>(header, metadata.size() - metadata.count(kAlignmentKey));
  put_metadata(header, metadata);
  uint64_t offset = 0;
  for (const TensorPlan& tensor : tensors) {
    put(header, tensor.name);
    put(header, static_cast<uint32_t>(tensor.shape.size()));
    for (size_t i = tensor.shape.size(); i-- > 0;) {
      put(header, static_cast<uint64_t>(tensor.shape[i]));
    }
    put(header, ggml_number(tensor.type));
    put(header, offset);
    offset += align_up(tensor.size(), kDefaultAlignment);
    writer.sizes_.push_back(tensor.size());
  }
  header.resize(align_up(header.size(), kDefaultAlignment), '\0');
  writer.file_size_ = header.size() + offset;
  writer.file_ = HYMT_TRY(AtomicFile::create(path));
  HYMT_TRY(writer.file_->reserve(writer.file_size_));
  HYMT_TRY(writer.file_->write(std::as_bytes(std::span(header))));
  return writer;
}

Result<void> GgufWriter::write(Bytes bytes) {
  while (!bytes.empty()) {
    HYMT_CHECK(tensor_ < sizes_.size());
    const auto n = std::min<uint64_t>(bytes.size(), sizes_[tensor_] - written_);
    HYMT_TRY(file_->write(bytes.first(n)));
    bytes = bytes.subspan(n);
    written_ += n;
    if (written_ == sizes_[tensor_]) HYMT_TRY(pad());
  }
  return {};
}

// The last tensor, too, is padded, as other writers do.
Result<void> GgufWriter::pad() {
  const std::string zeros(align_up(written_, kDefaultAlignment) - written_, '\0');
  ++tensor_;
  written_ = 0;
  return file_->write(std::as_bytes(std::span(zeros)));
}

Result<void> GgufWriter::finish() {
  HYMT_CHECK(tensor_ == sizes_.size());
  return file_->commit();
}

Result<void> write_gguf(const Checkpoint& checkpoint, const std::string& path) {
  std::vector<TensorPlan> plans;
  for (const Tensor& tensor : checkpoint.tensors) {
    plans.push_back({.name = tensor.name, .type = tensor.type, .shape = tensor.shape});
  }
  auto writer = HYMT_TRY(GgufWriter::create(path, checkpoint.metadata, plans));
  for (const Tensor& tensor : checkpoint.tensors) HYMT_TRY(writer.write(tensor.data));
  return writer.finish();
}

}  // namespace hymt::checkpoint
