#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

/// The architecture of a model in numbers, independent of the layout on ranks.
namespace epwise::workload {

/// The token mixer of a layer.
enum class Mixer : std::uint8_t {
  none,
  attention,  // softmax attention with query groups
  windowed,   // the same over a sliding window
  latent,     // multi-latent attention
  delta_net,  // gated delta net
  mamba,      // Mamba-2
};

enum class FeedForward : std::uint8_t { none, dense, experts };

/// One layer of the model; a layer of a hybrid pattern has only one of the two halves.
struct Layer {
  Mixer mixer = Mixer::none;
  FeedForward feed_forward = FeedForward::none;

  bool operator==(const Layer&) const = default;
};

struct GroupedAttention {
  int heads = 0;
  int groups = 0;  // of keys and values
  int head_dim = 0;
  bool output_gate = false;        // queries have a gate of the same width
  int window = 0;                  // sliding window including the token itself; 0: unlimited
  bool learnable_softmax = false;  // a learnable offset in the denominator: selects other kernels

  bool operator==(const GroupedAttention&) const = default;
};

struct LatentAttention {
  int query_rank = 0;  // 0: queries are not compressed
  int key_value_rank = 0;
  int head_dim = 0;    // of queries and keys, without rotary dimensions
  int rotary_dim = 0;  // rotary dimensions
  int value_dim = 0;

  bool operator==(const LatentAttention&) const = default;
};

struct DeltaNet {
  int key_heads = 0;
  int value_heads = 0;
  int key_dim = 0;
  int value_dim = 0;
  int convolution = 4;

  bool operator==(const DeltaNet&) const = default;
};

struct Mamba {
  int heads = 0;
  int head_dim = 0;
  int state = 0;
  int groups = 0;

  bool operator==(const Mamba&) const = default;
};

struct Experts {
  int count = 0;
  int topk = 1;
  int ffn = 0;         // FFN hidden size of one expert
  int shared_ffn = 0;  // FFN hidden size of the shared expert; 0: none
  int latent = 0;      // dimension to which dispatched tokens are projected; 0: hidden
  bool shared_gate = false;
  int limit_groups = 0;  // expert groups for group-limited routing; 0: unlimited
  int limit_kept = 0;

  bool operator==(const Experts&) const = default;
};

/// The encoder of images in front of a vision-language model: a transformer of its own on the stages
/// with the input embedding, and the projections of its output to the model's width.
struct VisionEncoder {
  int layers = 0;  // 0: none
  int hidden = 0;
  int ffn = 0;
  int heads = 0;
  bool gated = false;
  int patch = 0;        // pixels of a patch's side
  int merge = 1;        // a token stands for merge² patches
  int projections = 1;  // of its output, and of layers that are tapped on the way
  bool split = false;   // over tensor-parallel ranks; otherwise each of them has all of it
  bool shared = false;  // context-parallel ranks share the images; otherwise each encodes all
  bool frozen = false;
  bool projection_frozen = false;
  double images = 0;   // of a sequence
  double patches = 0;  // of an image

  /// Patches that a token stands for.
  double merged() const { return static_cast<double>(merge) * merge; }

  /// Pixel values of a patch: two frames of three colours.
  double patch_values() const { return 2.0 * 3 * patch * patch; }

  bool operator==(const VisionEncoder&) const = default;
};

struct Architecture {
  int hidden = 0;
  int dense_ffn = 0;
  bool gated = false;  // the MLPs are gated: three matrices instead of two
  int vocab = 0;       // as written
  int padded_vocab = 0;
  int sequence = 0;
  bool tied_embeddings = false;   // input and output share one matrix
  std::vector<Layer> layers;      // of the decoder, first to last
  int prediction_depths = 0;      // of multi-token prediction
  std::vector<Layer> prediction;  // the layers of one depth
  GroupedAttention attention;
  LatentAttention latent;
  DeltaNet delta_net;
  Mamba mamba;
  Experts experts;
  VisionEncoder vision;

  /// Width of a dispatched token.
  int dispatch_width() const { return experts.latent > 0 ? experts.latent : hidden; }

  /// Matrices that an MLP multiplies with: 3 with a gate, 2 without.
  int mlp_matrices() const { return gated ? 3 : 2; }

  int expert_layers() const {
    return static_cast<int>(std::ranges::count(layers, FeedForward::experts, &Layer::feed_forward));
  }  // of the decoder

  bool operator==(const Architecture&) const = default;
};

}  // namespace epwise::workload
