#include "sim/update_work.h"

#include <algorithm>

namespace epwise::sim {

namespace {

/// DRAFT until model counts parameters: matrices of one layer, all ranks together.
struct Parameters {
  double mixer = 0;
  double experts = 0;
  double shared = 0;
  double dense = 0;
  double embedding = 0;
};

double mixer_parameters(const model::Architecture& a, model::Mixer mixer) {
  const double h = a.hidden;
  switch (mixer) {
    case model::Mixer::latent: {
      const auto& m = a.latent;
      const double n = a.attention.heads, q = m.head_dim + m.rotary_dim;
      return (m.query_rank > 0 ? h * m.query_rank + m.query_rank * n * q : h * n * q) + h * (m.key_value_rank + m.rotary_dim) +
             m.key_value_rank * n * (m.head_dim + m.value_dim) + n * m.value_dim * h;
    }
    case model::Mixer::delta_net: {
      const auto& d = a.delta_net;
      const double qk = 1.0 * d.key_dim * d.key_heads, v = 1.0 * d.value_dim * d.value_heads;
      return h * (2 * qk + 2 * v) + v * h;
    }
    case model::Mixer::mamba: {
      const auto& m = a.mamba;
      const double di = 1.0 * m.heads * m.head_dim, gs = 1.0 * m.groups * m.state;
      return h * (2 * di + 2 * gs + m.heads) + di * h;
    }
    case model::Mixer::none:
      return 0;
    default: {
      const auto& g = a.attention;
      const double q = 1.0 * g.heads * g.head_dim, kv = 1.0 * g.groups * g.head_dim;
      return h * (q * (g.output_gate ? 2 : 1) + 2 * kv) + q * h;
    }
  }
}

Parameters count(const model::Architecture& a) {
  Parameters p;
  double mlps = 0;
  for (const auto& layer : a.layers) {
    p.mixer += mixer_parameters(a, layer.mixer);
    mlps += layer.feed_forward != model::FeedForward::none ? 1 : 0;
  }
  p.mixer /= mlps;
  const double h = a.hidden;
  p.experts = 1.0 * a.experts.count * a.mlp_matrices() * a.dispatch_width() * a.experts.ffn;
  p.shared = h * a.experts.count + a.mlp_matrices() * h * a.experts.shared_ffn + (a.experts.latent > 0 ? 2 * h * a.experts.latent : 0);
  p.dense = a.mlp_matrices() * h * a.dense_ffn;
  p.embedding = h * a.vocab;
  return p;
}

double ring(double bytes, double ranks, double rate) {
  return ranks <= 1 ? 0 : bytes * (ranks - 1) / ranks / rate;
}

}  // namespace

UpdateWork update_work(const model::Workload& job,
                       const StepWork& work,
                       const Constants& constants) {
  const Parameters each = count(job.architecture);
  const Machine& machine = work.machine;
  const int stages = work.stages;
  double layers = 0;
  for (int stage = 0; stage < stages; ++stage) {
    double here = 0;
    for (std::size_t c = static_cast<std::size_t>(stage); c < work.chunks.size(); c += static_cast<std::size_t>(stages)) {
      here += work.chunks[c].moe_layers + work.chunks[c].predictions;
    }
    layers = std::max(layers, here);
  }
  double dense_layers = 0;
  if (stages == 1) {
    for (const auto& c : work.chunks) dense_layers += c.dense_layers;
  }
  const double tp = job.parallel.tensor;
  const double dense = (layers * (each.mixer + each.shared) + dense_layers * (each.mixer + each.dense)) / tp + each.embedding / tp * (stages == 1 ? 2 : 1);
  const double experts = layers * each.experts / job.parallel.expert / job.parallel.expert_tensor;
  const double rate = job.parallel.gpus > machine.domain ? machine.nic_rate : machine.nvlink_rate;
  const double dn = job.parallel.dense_replicas();
  const double en = job.parallel.expert_data;
  UpdateWork update;
  update.gradient_ring = ring(dense * 4, dn, rate) + ring(experts * 4, en, rate);
  update.weight_ring = ring(dense * 2, dn, rate) + ring(experts * 2, en, rate);
  const double states = dense / dn + experts / en;
  update.optimizer_memory = (states * 30 + (dense + experts) * 8) / (machine.memory_rate * constants.share_optimizer);
  if (job.optimizer.host_fraction > 0) {
    update.host_states = job.optimizer.host_fraction * states * 16 / (machine.pcie_rate * 0.1);
  }
  update.tensors = layers * (2 * std::max(1, job.architecture.experts.count / job.parallel.expert) + 8);
  return update;
}

}  // namespace epwise::sim
