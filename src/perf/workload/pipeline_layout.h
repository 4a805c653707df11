#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/layout_text.h"

/// The layers of each pipeline chunk.
namespace epwise::workload {

/// One model chunk. Chunk `c` of a pipeline of P stages is on stage `c % P`, as its virtual stage
/// `c / P`.
struct Chunk {
  int first = 0;  // of the decoder layers, from 0
  int layers = 0;
  int prediction_depths = 0;
  bool embedding = false;
  bool loss = false;

  bool operator==(const Chunk&) const = default;
};

/// What the recipe specifies about the split.
struct SplitRequest {
  int layers = 0;
  int prediction_depths = 0;
  int stages = 1;          // P
  int virtual_stages = 1;  // V
  std::optional<int> in_first_stage;
  std::optional<int> in_last_stage;
  bool embedding_counts = false;  // as a layer
  bool loss_counts = false;
};

struct Split {
  std::vector<Chunk> chunks;  // P·V, in the order of the layers
  bool assumed = false;       // the recipe does not specify it, and an even split does not exist
  std::string problem;        // why there is no split; empty on success
};

/// Megatron's split; if the layers do not divide (an unstated layout), that of the published
/// layouts: ceil((layers + depths)/chunks) per chunk, one fewer in the first chunk if at least two
/// are to spare, the rest with the loss in the last one (DeepSeek-V3 with P4 V4: 4 per chunk, 3 in
/// the first; Qwen3-235B with P8 V4: 3 per chunk).
///   split_layers({.layers = 61, .prediction_depths = 1, .stages = 4, .virtual_stages = 4})
///     → 16 chunks: 3 layers with the embedding, 14 times 4, then 2 layers, 1 depth and the loss
Split split_layers(const SplitRequest& request);

/// The split of a written layout: one text of layer letters per chunk (expr/layout_text.h).
///   read_split({{"Ettt", "tt", "tt", "mL"}, ""}, 2) → chunks of 3, 2, 2 and 0 layers, V = 2
/// . A problem if the number of chunks is not a multiple of the stages, or the layers are not those
/// of the model.
Split read_split(const expr::Layout& layout, const SplitRequest& request);

}  // namespace epwise::workload
