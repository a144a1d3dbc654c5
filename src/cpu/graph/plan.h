// Where the rows of a batch stand: computed once a step, read by every layer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/batch.h"
#include "model/config.h"
#include "model/runner.h"

namespace hymt::cpu {

struct Row {
  int index;              // in the batch
  int slice;              // in the batch: the sequence it belongs to
  int position;           // in its sequence
  const int32_t* blocks;  // of its sequence
};

// Consecutive rows of one sequence that attend together.
struct RowTile {
  int first;
  int n;
};

// What attention does at a time: a tile and a K/V head.
struct AttentionItem {
  RowTile tile;
  int kv_head;
};

class Plan {
 public:
  // Sized for batches of so many rows.
  Plan(int max_rows, const model::Config& config);

  // Takes a batch apart. An error (internal: the engine built it wrongly) if a number is out of
  // its range; nothing is computed then.
  Result<void> set(const model::Batch& batch, const model::Config& config,
                   const model::Limits& limits);

  // Drops the rows that ask for nothing. old_row[i] tells where row i was.
  void keep_asking(const model::Batch& batch);

  const std::vector<Row>& rows() const { return rows_; }
  int n_rows() const { return static_cast<int>(rows_.size()); }
  // Sequence by sequence, head by head: neighbours read the same or neighbouring K and V. The last
  // tiles of a sequence, which see most, first, so that nobody is left alone with them in the end.
  const std::vector<AttentionItem>& items() const { return items_; }
  const std::vector<int>& old_row() const { return old_row_; }

 private:
  void cut_tiles();
  void list_items();

  int n_kv_heads_;
  int tile_rows_;
  std::vector<Row> rows_;  // capacity reserved once, here and below
  std::vector<RowTile> tiles_;
  std::vector<AttentionItem> items_;
  std::vector<int> old_row_;
};

}  // namespace hymt::cpu
