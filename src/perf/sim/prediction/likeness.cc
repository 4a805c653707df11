#include "perf/sim/prediction/likeness.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace epwise::sim {

namespace {

/// The part of a run's error that no other run shares, as variance over the shared variance.
constexpr double kOwn = 0.43;
/// Errors of this size are half shared, half the run's own.
constexpr double kNoise = 0.08;

std::string_view mixer_of(const workload::Architecture& shape) {
  if (shape.mamba.heads > 0) {
    return "mamba";
  }
  if (shape.delta_net.value_heads > 0) {
    return "delta net";
  }
  return shape.latent.key_value_rank > 0 ? "latent" : "grouped";
}

std::string graphs_of(const workload::Graphs& graphs) {
  if (graphs.full_iteration) {
    return "full_iteration";
  }
  return graphs.any() ? "partial" : "none";
}

std::string recompute_of(const workload::Recompute& what) {
  std::string text;
  const auto add = [&text](bool on, std::string_view name) {
    text += on ? fmt::format(" {}", name) : std::string();
  };
  add(what.full, what.block ? "block" : "full");
  add(what.core_attention, "core_attn");
  add(what.norms, "layernorm");
  add(what.latent_projections, "mla_up_proj");
  add(what.expert_activation, "moe_act");
  add(what.experts, "moe");
  add(what.dense_mlp, "mlp");
  add(what.shared_expert, "shared_experts");
  return text.empty() ? " none" : text;
}

}  // namespace

Traits traits_of(const workload::Workload& job) {
  const workload::Architecture& shape = job.architecture;
  const workload::Parallel& split = job.parallel;
  Traits traits;
  traits.model = fmt::format("hidden {}, {} experts, top {}, width {}, {} heads, {}",
                             shape.hidden,
                             shape.experts.count,
                             shape.experts.topk,
                             shape.experts.ffn,
                             shape.attention.heads,
                             mixer_of(shape));
  traits.precision = workload::to_string(job.precision);
  traits.dispatcher = workload::to_string(job.exchange.dispatcher);
  traits.graphs = graphs_of(job.graphs);
  traits.overlap = job.exchange.overlap;
  traits.layout = fmt::format(
      "{} GPUs, tp {}, pp {}, vp {}, cp {}, ep {}, etp {}, {} layers, sequence {}, batch {} of {}, "
      "routing {}, sms {}, recompute{}",
      split.gpus,
      split.tensor,
      split.pipeline,
      split.virtual_stages,
      split.context,
      split.expert,
      split.expert_tensor,
      shape.layers.size(),
      shape.sequence,
      job.batch.micro,
      job.batch.global,
      workload::to_string(job.routing.balance),
      job.exchange.sms,
      recompute_of(job.recompute));
  return traits;
}

double likeness(const Traits& a, const Traits& b) {
  constexpr double kMachine = 0.03;  // another model on the same machine
  constexpr double kModel = 0.1;
  constexpr double kClass = 0.65;
  constexpr double kClasses = 4;
  if (a.model != b.model) {
    return kMachine;
  }
  const int alike = (a.precision == b.precision ? 1 : 0) + (a.dispatcher == b.dispatcher ? 1 : 0) +
                    (a.graphs == b.graphs ? 1 : 0) + (a.overlap == b.overlap ? 1 : 0);
  if (alike == kClasses && a.layout == b.layout) {
    return 1;
  }
  const double share = alike / kClasses;
  return kModel + kClass * share * share;
}

std::vector<std::vector<double>> error_factor(const std::vector<Traits>& runs) {
  std::vector<std::vector<double>> factor(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    factor[i].resize(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? 1 + kOwn : likeness(runs[i], runs[j]);
      for (std::size_t k = 0; k < j; ++k) {
        sum -= factor[i][k] * factor[j][k];
      }
      factor[i][j] = i == j ? std::sqrt(std::max(sum, kOwn / 10)) : sum / factor[j][j];
    }
  }
  return factor;
}

std::vector<double> forward_substituted(const std::vector<std::vector<double>>& factor,
                                        std::vector<double> values) {
  for (std::size_t i = 0; i < factor.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      values[i] -= factor[i][k] * values[k];
    }
    values[i] /= factor[i][i];
  }
  return values;
}

namespace {

/// What runs of the same recipe say: nearly all of it.
Level level_of_repeats(const std::vector<LearntRun>& runs, const Traits& traits) {
  constexpr double kRepeated = 0.95;
  Level level;
  int count = 0;
  for (const LearntRun& run : runs) {
    if (likeness(run.traits, traits) >= 1) {
      level.log_factor += run.log_residual;
      ++count;
    }
  }
  if (count > 0) {
    level.log_factor *= kRepeated / count;
    level.known = kRepeated * kRepeated;
  }
  return level;
}

}  // namespace

Level level_of(const std::vector<LearntRun>& runs, const Traits& traits) {
  if (const Level repeated = level_of_repeats(runs, traits); repeated.known > 0) {
    return repeated;
  }
  std::vector<Traits> known;
  std::vector<double> with;
  for (const LearntRun& run : runs) {
    known.push_back(run.traits);
    with.push_back(likeness(run.traits, traits));
  }
  std::vector<double> errors;
  for (const LearntRun& run : runs) {
    double alike = 0;  // runs that say the same
    for (const Traits& other : known) {
      alike += likeness(run.traits, other);
    }
    const double square = run.log_residual * run.log_residual;
    const double noise = kNoise * kNoise / std::max(1.0, alike);
    errors.push_back(square > 0 ? run.log_residual * square / (square + noise) : 0);
  }
  const auto factor = error_factor(known);
  const std::vector<double> a = forward_substituted(factor, with);
  const std::vector<double> b = forward_substituted(factor, errors);
  Level level;
  for (std::size_t i = 0; i < a.size(); ++i) {
    level.log_factor += a[i] * b[i];
    level.known += a[i] * a[i];
  }
  level.known = std::clamp(level.known, 0.0, 1.0);
  return level;
}

void state_level(const Level& level, StatedInputs& stated) {
  stated.level = std::exp(level.log_factor);
  stated.level_known = level.known;
}

}  // namespace epwise::sim
