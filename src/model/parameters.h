#pragma once

#include "model/layer_table.h"
#include "model/workload.h"

/// Numbers of parameters.
namespace epwise::model {

/// Parameters of one layer, of all ranks together. Biases are not counted.
struct LayerParameters {
  double mixer = 0;  // projections, convolution and decay of its kind
  double dense_mlp = 0;
  double router = 0;
  double shared = 0;   // shared expert, its gate, projections to the latent width
  double experts = 0;  // all of them
  double norms = 0;

  /// What every rank of an expert-parallel group holds.
  double replicated() const { return mixer + dense_mlp + router + shared + norms; }

  double total() const { return replicated() + experts; }
};

/// Of a Mixtral layer (hidden 4096, 32 heads in 8 groups of 128, 8 experts of 14336, gated):
/// mixer 41,943,040, router 32,768, experts 1,409,286,144, norms 8,192.
LayerParameters layer_parameters(const Architecture& model, const Layer& layer);

struct ModelParameters {
  double total = 0;   // with prediction depths
  double active = 0;  // that one token meets: topk experts instead of all
};

/// Of the decoder alone with both embeddings (no prediction depths), as models' cards count:
///   DeepSeek-V3 → total 671.0e9, active 37.6e9
ModelParameters model_parameters(const Architecture& model);

/// Parameters that one GPU of a pipeline stage holds. Matrices of dense layers are divided by the
/// tensor-parallel size (routers, norms and latent down-projections are not), those of experts by
/// expert and expert-tensor size.
struct RankParameters {
  double dense = 0;      // with routers and norms; replicas: data · context
  double expert = 0;     // replicas: expert_data
  double embedding = 0;  // input and output matrices, part of `dense`
  double tensors = 0;    // parameter tensors, which loops of the host visit
};

RankParameters rank_parameters(const Workload& workload, int stage);

/// The same with a memory of what a rank holds of each kind of layer, for who asks for many stages.
RankParameters rank_parameters(const Workload& workload,
                               int stage,
                               LayerTable<RankParameters>& shares);

}  // namespace epwise::model
