#include "perf/sim/step/candidates.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "perf/sim/layer/layer_times.h"

namespace epwise::sim {

namespace {

/// The index of a value among those seen; adds a new one.
template <typename T>
double place_of(const T& value, std::vector<T>& seen) {
  const auto found = std::ranges::find(seen, value);
  const auto place = static_cast<double>(std::distance(seen.begin(), found));
  if (found == seen.end()) {
    seen.push_back(value);
  }
  return place;
}

}  // namespace

/// One round of SplitMix64 per number.
template <std::size_t Size>
std::size_t Candidates::Hash::operator()(const Key<Size>& key) const {
  std::uint64_t mixed = 0;
  for (const double value : key) {
    mixed += std::bit_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
    mixed ^= mixed >> 27U;
  }
  return static_cast<std::size_t>(mixed);
}

Candidates::Candidates(const Machine& machine,
                       const Constants& constants,
                       const StatedInputs& stated)
    : constants_(&constants) {
  work_.machine = machine;
  work_.stated = stated;
}

Candidates::LayerKey Candidates::layer_key(const workload::Workload& job) {
  const workload::Parallel& split = job.parallel;
  return {place_of(job.architecture, architectures_),
          1.0 * job.batch.micro,
          1.0 * split.tensor,
          1.0 * split.context,
          1.0 * split.expert,
          1.0 * split.expert_tensor,
          split.sequence ? 1.0 : 0.0,
          split.tensor_overlap ? 1.0 : 0.0,
          static_cast<double>(job.precision),
          static_cast<double>(job.exchange.dispatcher),
          1.0 * job.exchange.sms,
          job.exchange.permute_fusion ? 1.0 : 0.0,
          1.0 * job.exchange.nvlink_ranks,
          place_of(job.kernels, kernels_),
          job.optimizer.gradient,
          job.optimizer.trained,
          job.routing.capacity,
          job.routing.padded ? 1.0 : 0.0,
          place_of(job.offload, offloads_),
          job.routing.stash,
          job.recompute.expert_activation ? 1.0 : 0.0,
          1.0 * job.machine.nvlink_domain};
}

Candidates::SplitKey Candidates::split_key(const workload::Workload& job) {
  const workload::Parallel& split = job.parallel;
  return {place_of(job.architecture, architectures_),
          place_of(split.chunks, layouts_),
          1.0 * split.gpus,
          1.0 * split.tensor,
          1.0 * split.pipeline,
          1.0 * split.context,
          1.0 * split.expert,
          1.0 * split.expert_tensor,
          1.0 * split.data,
          1.0 * split.expert_data,
          job.optimizer.host_fraction,
          job.optimizer.host_overlap ? 1.0 : 0.0,
          job.optimizer.trained,
          job.optimizer.distributed ? 1.0 : 0.0,
          job.optimizer.gradient,
          job.optimizer.main_gradient,
          job.optimizer.main_weight,
          job.optimizer.moments,
          job.sharding != workload::Sharding::none ? 1.0 : 0.0,
          1.0 * job.machine.nvlink_domain};
}

const StepWork& Candidates::lower(const workload::Workload& job) {
  work_.machine.domain = job.machine.nvlink_domain;
  work_.machine.grace = job.machine.cpu == workload::Cpu::grace;
  const LayerKey layers = layer_key(job);
  auto layer = layers_.find(layers);
  if (layer == layers_.end()) {
    layer = layers_.emplace(layers, lower_layers(job, work_.machine, *constants_)).first;
  }
  const SplitKey splits = split_key(job);
  auto split = splits_.find(splits);
  if (split == splits_.end()) {
    split = splits_.emplace(splits, lower_split(job, work_.machine, *constants_)).first;
  }
  static_cast<LayerWork&>(work_) = layer->second;
  static_cast<SplitWork&>(work_) = split->second;
  lower_schedule(job, *constants_, work_);
  return work_;
}

StepTimes Candidates::price(const workload::Workload& job) {
  return evaluate(lower(job), *constants_, {});
}

SmSweep sm_sweep(const StepWork& work, const Constants& constants, int most) {
  SmSweep sweep;
  if (work.job->parallel.expert <= 1 || !workload::deduplicates(work.job->exchange.dispatcher)) {
    return sweep;
  }
  constexpr int kFewest = 4;
  constexpr double kFlat = 1.005;
  sweep.own = work.job->exchange.sms;
  std::vector<int> counts;
  for (int sms = kFewest; sms <= most; sms += 2) {
    counts.push_back(sms);
  }
  if (sweep.own > 0 && std::ranges::find(counts, sweep.own) == counts.end()) {
    counts.push_back(sweep.own);
    std::ranges::sort(counts);
  }
  workload::Workload job = *work.job;
  Candidates candidates(work.machine, constants, work.stated);
  for (const int sms : counts) {
    job.exchange.sms = sms;
    const StepWork& lowered = candidates.lower(job);
    sweep.points.push_back(
        {sms, evaluate(lowered, constants, {}).step, priced_exchange(lowered, constants)});
  }
  const auto best = std::ranges::min_element(sweep.points, {}, &SmPoint::step);
  sweep.best = best->sms;
  auto from = best;
  while (from != sweep.points.begin() && std::prev(from)->step <= kFlat * best->step) {
    --from;
  }
  auto to = best;
  while (std::next(to) != sweep.points.end() && std::next(to)->step <= kFlat * best->step) {
    ++to;
  }
  sweep.flat_from = from->sms;
  sweep.flat_to = to->sms;
  return sweep;
}

}  // namespace epwise::sim
