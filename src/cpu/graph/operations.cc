#include "cpu/graph/operations.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/graph/parallel.h"

namespace hymt::cpu {

Operations::Operations(const model::Config& config, const Kernels& kernels, ThreadPool& pool,
                       Activations& activations, Plan& plan, KvCache& kv, Profile* profile)
    : config_(config),
      kernels_(kernels),
      pool_(pool),
      a_(activations),
      plan_(plan),
      kv_(kv),
      profile_(profile),
      frequencies_(model::rope_frequencies(config)),
      ranges_(pool.size()) {}

void Operations::look_up(const PackedMatrix& embedding, std::span<const model::Token> tokens) {
  const Profile::Timer timer(profile_, Part::look_up);
  for_rows(pool_, plan_.n_rows(), 8 * config_.d_model, [&](int row, int) {
    embedding.parts[0].unpack_row(
        tokens[static_cast<size_t>(row)],
        a_.residual.data() + static_cast<size_t>(row) * a_.residual_stride);
  });
}

void Operations::find_rotations() {
  const Profile::Timer timer(profile_, Part::rotation);
  const auto half = static_cast<size_t>(config_.d_head / 2);
  for_rows(pool_, plan_.n_rows(), 64 * config_.d_head, [&](int row, int) {
    float* cosines = a_.rotation.data() + static_cast<size_t>(row) * 2 * half;
    const double position = plan_.rows()[static_cast<size_t>(row)].position;
    for (size_t i = 0; i < half; ++i) {
      // In double: at position 200,000 a float angle would be off by a hundredth of a radian.
      const double angle = position * frequencies_[i];
      cosines[i] = static_cast<float>(std::cos(angle));
      cosines[half + i] = static_cast<float>(std::sin(angle));
    }
  });
}

void Operations::norm(const Buffer<float>& weight, const PackedMatrix& reader) {
  const Profile::Timer timer(profile_, Part::norms);
  ProductInput& input = a_.input;
  input.rows.n_rows = plan_.n_rows();
  input.rows.n_columns = config_.d_model;
  const FormatSet formats = formats_of(reader);
  for_rows(pool_, plan_.n_rows(), config_.d_model, [&](int row, int worker) {
    float* normed = a_.scratch[static_cast<size_t>(worker)].row.data();
    kernels_.rms_norm(a_.residual.data() + static_cast<size_t>(row) * a_.residual_stride,
                      weight.data(), config_.d_model, config_.rms_epsilon, normed);
    input.set_row(kernels_, formats, row, normed);
  });
}

void Operations::prepare(const float* x, size_t stride, int n_columns, const PackedMatrix& reader) {
  const Profile::Timer timer(profile_, Part::norms);
  ProductInput& input = a_.input;
  input.rows.n_rows = plan_.n_rows();
  input.rows.n_columns = n_columns;
  const FormatSet formats = formats_of(reader);
  for_rows(pool_, plan_.n_rows(), n_columns, [&](int row, int) {
    input.set_row(kernels_, formats, row, x + static_cast<size_t>(row) * stride);
  });
}

void Operations::multiply(Part part, const PackedMatrix& matrix, float* out, size_t stride,
                          Epilogue epilogue) {
  const Profile::Timer timer(profile_, part);
  const int per_output = epilogue == Epilogue::swiglu ? 2 : 1;
  float* column = out;
  for (const PackedPanels& some : matrix.parts) {
    const Panels& panels = some.panels();
    if (profile_ != nullptr) profile_->at(part).add_product(panels, some.bytes(), plan_.n_rows());
    const auto product = kernels_.multiply[static_cast<int>(panels.format)];
    // Pairs of panels: what the kernels' tiles take at once, and a gate with its up.
    const int64_t work =
        product_work(plan_.n_rows(), panels.n_panels * kPanelRows, panels.n_columns);
    ranges_.run(pool_, panels.n_panels, 2, work, [&](int begin, int end, int worker) {
      product(panels, begin, end, a_.input.rows,
              {column + begin / per_output * kPanelRows, stride, epilogue},
              a_.scratch[static_cast<size_t>(worker)].multiply.data());
    });
    column += panels.n_panels / per_output * kPanelRows;
  }
}

void Operations::rotate_norm_and_store(int layer, const PackedLayer& weights) {
  const Profile::Timer timer(profile_, Part::rotation);
  const auto d_head = static_cast<size_t>(config_.d_head);
  const float scale = 1.0f / std::sqrt(static_cast<float>(config_.d_head));
  for_rows(pool_, plan_.n_rows(), 4 * config_.d_query(), [&](int row, int worker) {
    const auto r = static_cast<size_t>(row);
    float* q = a_.qkv.data() + r * a_.qkv_stride;
    float* k = q + a_.k_column;
    const float* v = q + a_.v_column;
    const float* rotation = a_.rotation.data() + r * d_head;
    for (size_t h = 0; h < static_cast<size_t>(config_.n_heads); ++h) {
      kernels_.rotate_and_norm(q + h * d_head, rotation, weights.q_norm.data(), config_.d_head,
                               config_.rms_epsilon, scale, q + h * d_head);
    }
    for (size_t h = 0; h < static_cast<size_t>(config_.n_kv_heads); ++h) {
      kernels_.rotate_and_norm(k + h * d_head, rotation, weights.k_norm.data(), config_.d_head,
                               config_.rms_epsilon, 1.0f, k + h * d_head);
    }
    const Row& place = plan_.rows()[r];
    kv_.store(kernels_, layer, place.blocks[place.position / kBlockTokens],
              place.position % kBlockTokens, k, v,
              a_.scratch[static_cast<size_t>(worker)].kv.data());
  });
}

void Operations::keep_asking_rows(const model::Batch& batch) {
  plan_.keep_asking(batch);
  const auto& old_row = plan_.old_row();
  for (size_t row = 0; row < old_row.size(); ++row) {
    const auto old = static_cast<size_t>(old_row[row]);
    if (old == row) continue;
    std::memcpy(a_.residual.data() + row * a_.residual_stride,
                a_.residual.data() + old * a_.residual_stride, a_.residual_stride * sizeof(float));
    std::memcpy(a_.qkv.data() + row * a_.qkv_stride, a_.qkv.data() + old * a_.qkv_stride,
                a_.k_column * sizeof(float));
  }
}

void Operations::attend(int layer) {
  const Profile::Timer timer(profile_, Part::attention);
  const auto d_head = static_cast<size_t>(config_.d_head);
  const auto d_query = static_cast<size_t>(config_.d_query());
  const int group = config_.n_heads / config_.n_kv_heads;
  const auto n_items = static_cast<int>(plan_.items().size());

  // K of an item's head in the first block of its sequence.
  const auto first_block = [&](const AttentionItem& item) {
    const Row& row = plan_.rows()[static_cast<size_t>(item.tile.first)];
    return kv_.head(layer, item.kv_head) + static_cast<size_t>(row.blocks[0]) * kv_.block_stride();
  };
  const auto attend_range = [&](int begin, int end, int worker) {
    for (int i = begin; i < end; ++i) {
      const AttentionItem& item = plan_.items()[static_cast<size_t>(i)];
      const auto row = static_cast<size_t>(item.tile.first);
      const Row& first = plan_.rows()[row];
      const size_t column = static_cast<size_t>(item.kv_head * group) * d_head;
      AttentionTile work = {};
      work.q = a_.qkv.data() + row * a_.qkv_stride + column;
      work.q_stride = a_.qkv_stride;
      work.out = a_.attended.data() + row * d_query + column;
      work.out_stride = d_query;
      work.n_rows = item.tile.n;
      work.group = group;
      work.n_visible = first.position + 1;
      work.d_head = config_.d_head;
      work.kv = kv_.head(layer, item.kv_head);
      work.block_stride = kv_.block_stride();
      work.blocks = first.blocks;
      work.next = first_block(plan_.items()[static_cast<size_t>(std::min(i + 1, n_items - 1))]);
      work.scratch = a_.scratch[static_cast<size_t>(worker)].attention.data();
      kernels_.attend[static_cast<int>(kv_.type())](work);
    }
  };

  int64_t pairs = 0;   // of a query row and a token that it sees
  int64_t tokens = 0;  // seen by anybody
  for (size_t row = 0; row < plan_.rows().size(); ++row) {
    const int seen = plan_.rows()[row].position + 1;
    pairs += seen;
    const bool last =
        row + 1 == plan_.rows().size() || plan_.rows()[row + 1].slice != plan_.rows()[row].slice;
    if (last) tokens += seen;
  }
  if (profile_ != nullptr) {
    profile_->at(Part::attention)
        .add_attention(pairs * config_.d_query(),
                       tokens * static_cast<int64_t>(kv_.block_stride()) / kBlockTokens);
  }
  const int64_t work = pairs * config_.d_query() / 4;
  if (work < kWorthSharing) return attend_range(0, n_items, 0);
  // The heads of a sequence together, as long as there are many.
  const int piece = std::clamp(n_items / (8 * pool_.size()), 1, config_.n_kv_heads);
  next_.store(0, std::memory_order_relaxed);
  pool_.run([&](int worker) {
    for (int begin; (begin = next_.fetch_add(piece, std::memory_order_relaxed)) < n_items;) {
      attend_range(begin, std::min(begin + piece, n_items), worker);
    }
  });
}

}  // namespace hymt::cpu
