#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "perf/workload/architecture.h"
#include "perf/workload/workload.h"

namespace epwise::workload {

/// One value per kind of layer, computed on first use: models have many layers of few kinds.
///   LayerTable<double> flops;
///   flops.get(layer, [&](const Layer& kind) { return layer_flops(model, kind); })
template <typename T>
class LayerTable {
 public:
  template <typename Compute>
  const T& get(const Layer& layer, const Compute& compute) {
    auto& value = values_[static_cast<std::size_t>(layer.mixer) * 3 +
                          static_cast<std::size_t>(layer.feed_forward)];
    if (!value) {
      value = compute(layer);
    }
    return *value;
  }

 private:
  std::array<std::optional<T>, 18> values_;
};

}  // namespace epwise::workload

/// Numbers of parameters.

namespace epwise::workload {

/// Parameters of one layer over all ranks, without biases.
struct LayerParameters {
  double mixer = 0;  // projections, convolution and decay of its kind
  double dense_mlp = 0;
  double router = 0;
  double shared = 0;   // shared expert, its gate, projections to the latent dimension
  double experts = 0;  // all of them
  double norms = 0;

  /// Held by every rank of an expert-parallel group.
  double replicated() const { return mixer + dense_mlp + router + shared + norms; }

  double total() const { return replicated() + experts; }
};

/// Of a Mixtral layer (hidden 4096, 32 heads in 8 groups of 128, 8 experts of 14336, gated):
/// mixer 41,943,040, router 32,768, experts 1,409,286,144, norms 8,192.
LayerParameters layer_parameters(const Architecture& model, const Layer& layer);

struct ModelParameters {
  double total = 0;   // with prediction depths
  double active = 0;  // active per token: topk experts instead of all
};

/// The decoder with both embeddings (without MTP depths), as on model cards:
///   DeepSeek-V3 → total 671.0e9, active 37.6e9
ModelParameters model_parameters(const Architecture& model);

/// Of an encoder of images: its layers with the embedding of patches, and its projections, each an MLP
/// of the width of merge² patches. Of Qwen3-VL (27 layers of 1152, FFN 4304, four projections to 4096):
/// 413e6 and 164e6.
struct VisionParameters {
  double encoder = 0;
  double projections = 0;
};

VisionParameters vision_parameters(const Architecture& model);

/// Those whose gradients and states a rank keeps.
double trained_vision(const Workload& workload);

/// An encoder of images as a model of its own: the patches of a micro-batch's images are its tokens,
/// in BF16, unfused as its framework code is.
Workload vision_workload(const Workload& workload);

/// Parameters held by one GPU of a pipeline stage. Matrices of dense layers are divided by the
/// tensor-parallel size (routers, norms and latent down-projections are not), those of experts by
/// the expert and expert-tensor sizes.
struct RankParameters {
  double dense = 0;      // with routers and norms; replicas: data · context
  double expert = 0;     // replicas: expert_data
  double embedding = 0;  // input and output matrices, part of `dense`
  double vision = 0;     // encoder of images and its projections, part of `dense`
  double tensors = 0;    // parameter tensors, over which host loops iterate
};

RankParameters rank_parameters(const Workload& workload, int stage);

/// The same with a cache per kind of layer, for callers that need many stages.
RankParameters rank_parameters(const Workload& workload,
                               int stage,
                               LayerTable<RankParameters>& shares);

}  // namespace epwise::workload
