#include "checkpoint/quantize.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <new>

#include "base/quote.h"

namespace hymt::checkpoint {
namespace {

constexpr uint64_t kPieceBytes = 8 << 20;    // converted between two writes
constexpr int64_t kQuantizationVersion = 2;  // GGML's, of all block formats since 2023

// general.file_type: what most tensors are. By DType.
constexpr int64_t kFileTypes[] = {0, 1, 32, 7, 2};

// Weights of this magnitude or more overflow the type, or the binary16 step of its blocks, to
// infinity. By DType.
constexpr float kTooLarge[] = {INFINITY, 65520.0f, 0x1.ffp+127f, 127 * 65520.0f, 8 * 65520.0f};

// Converts rows of one tensor to another type; workers share it.
class RowConverter {
 public:
  RowConverter(const Tensor& from, const TensorPlan& to)
      : from_(from), to_(to), source_row_(row_bytes(from.type, from.columns())) {}

  // Rows [begin, end) to `out`, in parallel. False if a weight cannot be stored.
  bool convert(int64_t begin, int64_t end, std::byte* out, ThreadPool& pool) {
    const int64_t columns = to_.columns();
    pool.run([&](int worker) {
      const Share share = share_of(static_cast<int>(end - begin), worker, pool.size());
      std::vector<float> row(static_cast<size_t>(columns));
      for (int64_t i = share.begin; i < share.end; ++i) {
        const std::byte* source = from_.data.data() + static_cast<size_t>(begin + i) * source_row_;
        dequantize_row(from_.type, source, columns, row.data());
        check(row, begin + i);
        quantize_row(to_.type, row.data(), columns, out + static_cast<size_t>(i) * to_.row_size());
      }
    });
    return bad_row_.load() < 0;
  }

  tl::unexpected<Error> error(const std::string& path) const {
    return fail(Code::invalid_argument,
                path + ": tensor " + in_quotes(from_.name) + ", row " +
                    std::to_string(bad_row_.load()) + ": a weight is not finite or too large for " +
                    std::string(name(to_.type)),
                from_.name);
  }

 private:
  void check(const std::vector<float>& row, int64_t at) {
    const float limit = kTooLarge[static_cast<size_t>(to_.type)];
    // The negation also catches what is no number.
    const bool bad =
        std::any_of(row.begin(), row.end(), [&](float w) { return !(std::fabs(w) < limit); });
    if (bad) bad_row_.store(at);
  }

  const Tensor& from_;
  const TensorPlan& to_;
  size_t source_row_;
  std::atomic<int64_t> bad_row_{-1};
};

bool changes(const Tensor& from, const TensorPlan& to) {
  return from.type != to.type;
}

// Rows converted at a time: few enough to bound memory, and at least one.
int64_t rows_per_piece(const TensorPlan& tensor) {
  return std::max<int64_t>(1, static_cast<int64_t>(kPieceBytes / tensor.row_size()));
}

}  // namespace

QuantizePlan plan_quantize(const Checkpoint& checkpoint, DType type) {
  QuantizePlan plan{.metadata = checkpoint.metadata, .tensors = {}, .kept = {}};
  plan.metadata["general.file_type"] = kFileTypes[static_cast<size_t>(type)];
  if (block_shape(type).elements > 1) {
    plan.metadata["general.quantization_version"] = kQuantizationVersion;
  } else {
    plan.metadata.erase("general.quantization_version");
  }
  for (const Tensor& tensor : checkpoint.tensors) {
    DType to = tensor.shape.size() < 2 ? DType::f32 : type;
    if (tensor.columns() % block_shape(to).elements != 0) {
      to = tensor.type;
      plan.kept.push_back(tensor.name);
    }
    plan.tensors.push_back({.name = tensor.name, .type = to, .shape = tensor.shape});
  }
  return plan;
}

Result<Checkpoint> quantize(const Checkpoint& checkpoint, DType type, ThreadPool& pool,
                            std::vector<std::string>* kept) {
  QuantizePlan plan = plan_quantize(checkpoint, type);
  Checkpoint out{.path = checkpoint.path,
                 .metadata = std::move(plan.metadata),
                 .tensors = checkpoint.tensors,
                 .owners = checkpoint.owners};
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const Tensor& from = checkpoint.tensors[i];
    const TensorPlan& to = plan.tensors[i];
    if (!changes(from, to)) continue;
    std::shared_ptr<std::byte[]> data(new (std::nothrow) std::byte[to.size()]);
    if (!data) {
      return fail(Code::internal, checkpoint.path + ": not enough memory for tensor " +
                                      in_quotes(from.name) + " as " + std::string(name(to.type)));
    }
    RowConverter converter(from, to);
    const int64_t step = rows_per_piece(to);
    for (int64_t row = 0; row < to.rows(); row += step) {
      std::byte* at = data.get() + static_cast<size_t>(row) * to.row_size();
      if (!converter.convert(row, std::min(row + step, to.rows()), at, pool)) {
        return converter.error(checkpoint.path);
      }
    }
    out.tensors[i].type = to.type;
    out.tensors[i].data = {data.get(), to.size()};
    out.owners.push_back(std::move(data));
  }
  if (kept) *kept = std::move(plan.kept);
  return out;
}

Result<uint64_t> quantize_to_file(const Checkpoint& checkpoint, const QuantizePlan& plan,
                                  const std::string& path, ThreadPool& pool,
                                  const Progress& progress) {
  auto writer = HYMT_TRY(GgufWriter::create(path, plan.metadata, plan.tensors));
  uint64_t total = 0, done = 0;
  for (const TensorPlan& tensor : plan.tensors) total += tensor.size();
  std::vector<std::byte> piece;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const Tensor& from = checkpoint.tensors[i];
    const TensorPlan& to = plan.tensors[i];
    RowConverter converter(from, to);
    const int64_t step = rows_per_piece(to);
    for (int64_t row = 0; row < to.rows(); row += step) {
      const int64_t end = std::min(row + step, to.rows());
      const size_t size = static_cast<size_t>(end - row) * to.row_size();
      if (changes(from, to)) {
        piece.resize(size);
        if (!converter.convert(row, end, piece.data(), pool)) {
          return converter.error(checkpoint.path);
        }
        HYMT_TRY(writer.write(piece));
      } else {
        HYMT_TRY(writer.write(from.data.subspan(static_cast<size_t>(row) * to.row_size(), size)));
      }
      done += size;
      if (progress) progress(done, total);
    }
  }
  HYMT_TRY(writer.finish());
  return writer.file_size();
}

}  // namespace hymt::checkpoint
