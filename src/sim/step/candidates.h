#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/constants/constants.h"
#include "sim/step/step.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

/// Prices many recipes on one machine by closed form. Laws are asked once for each kind of layer
/// (shape, tokens, tensor and expert parallelism, precision, dispatcher, SMs, …) and parameters are
/// counted once for each split over stages and replicas; the rest of a candidate takes
/// microseconds, and allocates nothing once its layers and its split are known.
///
///   Candidates candidates(machine_of(profile, job.machine, laws, constants).machine,
///                         constants.values);
///   for (model::Workload& job : jobs) { best = min(best, candidates.price(job).step); }
///
/// Says to the bit what `evaluate(lower(job, …), …)` says. Domain and host are those of each
/// workload, the rest of the machine is the constructor's: a workload with another NIC rate than
/// that machine's needs another of these. Keeps the laws' answers for as long as it lives; one
/// thread at a time.
class Candidates {
 public:
  /// `constants` and the machine's laws must outlive it.
  Candidates(const Machine& machine, const Constants& constants, const StatedInputs& stated = {});

  /// The recipe lowered, valid until the next call; it refers to `job`. For whoever wants more than
  /// a time: `waterfall_of`, `uncertainty_of`, `compare`.
  const StepWork& lower(const model::Workload& job);

  /// Seconds of a step and its parts.
  StepTimes price(const model::Workload& job);

  /// Kinds of layers, and splits, met so far.
  std::size_t layer_kinds() const { return layers_.size(); }

  std::size_t splits() const { return splits_.size(); }

 private:
  /// What decides a part of the work, as numbers.
  template <std::size_t Size>
  using Key = std::array<double, Size>;

  struct Hash {
    template <std::size_t Size>
    std::size_t operator()(const Key<Size>& key) const;
  };

  using LayerKey = Key<18>;
  using SplitKey = Key<12>;

  LayerKey layer_key(const model::Workload& job);
  SplitKey split_key(const model::Workload& job);

  const Constants* constants_;
  std::vector<model::Architecture> architectures_;
  std::vector<std::vector<model::Chunk>> layouts_;
  std::vector<model::ActivationOffload> offloads_;
  std::unordered_map<LayerKey, LayerWork, Hash> layers_;
  std::unordered_map<SplitKey, SplitWork, Hash> splits_;
  StepWork work_;  // the last one lowered
};

}  // namespace epwise::sim
