#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "perf/sim/constants/constants.h"
#include "perf/sim/step/step.h"
#include "perf/sim/work/step_work.h"

namespace epwise::sim {

/// Evaluates many recipes on one machine in closed form. Laws are evaluated once for each kind of
/// layer (shape, tokens, tensor and expert parallelism, precision, dispatcher, SMs, …) and
/// parameters are counted once for each split over stages and replicas; the rest of a candidate
/// takes microseconds, without allocation once its layers and its split are known.
///
///   Candidates candidates(machine_of(profile, job.machine, laws, constants).machine,
///                         constants.values);
///   for (workload::Workload& job : jobs) { best = min(best, candidates.price(job).step); }
///
/// Bit-identical to `evaluate(lower(job, …), …)`. Domain and host come from each workload, the rest
/// of the machine from the constructor: a workload with a different NIC rate needs another object.
/// Caches the results of laws during its lifetime; not thread-safe.
class Candidates {
 public:
  /// `constants` and the machine's laws must outlive it.
  Candidates(const Machine& machine, const Constants& constants, const StatedInputs& stated = {});

  /// The lowered recipe, valid until the next call; it refers to `job`. For callers that need more
  /// than a time: `waterfall_of`, `uncertainty_of`, `compare`.
  const StepWork& lower(const workload::Workload& job);

  /// Seconds of a step and its parts.
  StepTimes price(const workload::Workload& job);

  /// Kinds of layers, and splits, met so far.
  std::size_t layer_kinds() const { return layers_.size(); }

  std::size_t splits() const { return splits_.size(); }

 private:
  /// The determinants of a part of the work, as numbers.
  template <std::size_t Size>
  using Key = std::array<double, Size>;

  struct Hash {
    template <std::size_t Size>
    std::size_t operator()(const Key<Size>& key) const;
  };

  using LayerKey = Key<22>;
  using SplitKey = Key<20>;

  LayerKey layer_key(const workload::Workload& job);
  SplitKey split_key(const workload::Workload& job);

  const Constants* constants_;
  std::vector<workload::Architecture> architectures_;
  std::vector<std::vector<workload::Chunk>> layouts_;
  std::vector<workload::ActivationOffload> offloads_;
  std::vector<workload::Kernels> kernels_;
  std::unordered_map<LayerKey, LayerWork, Hash> layers_;
  std::unordered_map<SplitKey, SplitWork, Hash> splits_;
  StepWork work_;  // the last one lowered
};

/// A step with a different SM count for the dispatcher's kernels.
struct SmPoint {
  int sms = 0;
  double step = 0;      // s
  double exchange = 0;  // s, one exchange of one layer and micro-batch, alone
};

/// The dispatcher's SM count from few to many, everything else equal.
struct SmSweep {
  std::vector<SmPoint> points;  // 4, 6, … and the recipe's own
  int own = 0;                  // of the recipe
  int best = 0;                 // the smallest count that is not slower than any other
  int flat_from = 0;            // within 0.5 % of the best: from here …
  int flat_to = 0;              // … to here
};

/// Empty if the dispatcher has no SM count (NCCL's all-to-all and all-gather), or nothing is
/// exchanged. `most`: upper limit of the sweep.
SmSweep sm_sweep(const StepWork& work, const Constants& constants, int most = 64);

}  // namespace epwise::sim
