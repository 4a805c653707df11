#include "perf/sim/prediction/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "perf/cost/cost.h"
#include "perf/sim/step/step.h"

namespace epwise::sim {

/// SplitMix64 (Steele, Lea, Flood 2014), 53 bits of it, in (0, 1].
double NormalDraws::uniform() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
  mixed ^= mixed >> 31U;
  constexpr double kSteps = 9007199254740992.0;
  return (static_cast<double>(mixed >> 11U) + 1) / kSteps;
}

/// Box and Muller: two deviates of two uniform numbers.
double NormalDraws::next() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

namespace {

using Members = std::span<double Constants::*const>;

/// The constants that multiply a law's results.
Members members_of(std::size_t law) {
  static constexpr std::array<double Constants::*, 2> kDense = {&Constants::gemm_hopper,
                                                                &Constants::gemm_blackwell};
  static constexpr std::array<double Constants::*, 1> kGrouped = {&Constants::grouped_gemm};
  static constexpr std::array<double Constants::*, 1> kAttention = {&Constants::attention};
  static constexpr std::array<double Constants::*, 1> kMemory = {&Constants::memory_kernels};
  static constexpr std::array<double Constants::*, 1> kCollective = {&Constants::tensor_parallel};
  static constexpr std::array<double Constants::*, 2> kAlltoall = {&Constants::alltoall_nic,
                                                                   &Constants::alltoall_nvlink};
  static constexpr std::array<double Constants::*, 2> kFlex = {&Constants::flex_nic,
                                                               &Constants::flex_nvlink};
  static constexpr std::array<Members, kLawCount + 1> kMembers = {
      kDense, kGrouped, kAttention, kMemory, kCollective, kAlltoall, kFlex};
  return kMembers[law];
}

/// The uncertainty of a law beyond its constant, whose deviation includes the law's if steps
/// determine it.
double beyond(const LawSpread& spread, std::size_t law, double constant) {
  const double deviation = spread.deviation[std::min(law, kLawCount - 1)];
  return std::sqrt(std::max(0.0, deviation * deviation - constant * constant));
}

/// The largest `log_sd` of the constants that multiply each law.
LawDeviations deviations_of(const ConstantTable& table) {
  LawDeviations deviations{};
  for (const ConstantNote& note : table.notes) {
    const auto member = constant_member(note.name);
    for (std::size_t law = 0; law < deviations.size(); ++law) {
      if (std::ranges::count(members_of(law), member) > 0) {
        deviations[law] = std::max(deviations[law], note.log_sd);
      }
    }
  }
  return deviations;
}

}  // namespace

void scale_law(Constants& constants, std::size_t law, double factor) {
  for (const auto member : members_of(law)) {
    constants.*member *= factor;
  }
}

SharedErrors::SharedErrors(const ConstantTable& table)
    : values_(table.values),
      deviations_(deviations_of(table)) {
  for (const ConstantNote& note : table.notes) {
    if (note.log_sd > 0) {
      sampled_.push_back({constant_member(note.name), note.log_sd});
    }
  }
}

void SharedErrors::draw(NormalDraws& constants, NormalDraws& laws, Draw& into) const {
  into.constants.resize(sampled_.size());
  for (double& deviate : into.constants) {
    deviate = constants.next();
  }
  for (double& deviate : into.laws) {
    deviate = laws.next();
  }
}

Constants SharedErrors::applied(const Draw& draw, const LawSpread& spread) const {
  Constants constants = values_;
  for (std::size_t i = 0; i < sampled_.size(); ++i) {
    constants.*sampled_[i].member *= std::exp(sampled_[i].log_sd * draw.constants[i]);
  }
  for (std::size_t law = 0; law < draw.laws.size(); ++law) {
    scale_law(constants, law, std::exp(beyond(spread, law, deviations_[law]) * draw.laws[law]));
  }
  return constants;
}

double law_width(const StepWork& work, const Constants& constants) {
  static const LawDeviations known = deviations_of(sim::constants());
  const double step = evaluate(work, constants, {}).step;
  double variance = 0;
  for (std::size_t law = 0; law <= kLawCount; ++law) {
    const double deviation = beyond(work.spread, law, known[law]);
    if (deviation <= 0) {
      continue;
    }
    Constants more = constants;
    scale_law(more, law, std::exp(deviation));
    const double change = std::log(evaluate(work, more, {}).step / step);
    variance += change * change;
  }
  return cost::kNineTenths * std::sqrt(variance);
}

namespace {

/// What the step would save if launching took no time.
double host_share(const StepWork& work, const Constants& constants) {
  Effects without;
  without.host_launches = false;
  const double step = evaluate(work, constants, {}).step;
  return std::max(0.0, 1 - evaluate(work, constants, without).step / step);
}

}  // namespace

void Uncertainty::scale(double factor) {
  for (const auto part : {&Uncertainty::base,
                          &Uncertainty::routing,
                          &Uncertainty::softmax,
                          &Uncertainty::overlap,
                          &Uncertainty::tensor_parallel,
                          &Uncertainty::hardware,
                          &Uncertainty::host,
                          &Uncertainty::laws,
                          &Uncertainty::distance}) {
    this->*part *= factor;
  }
}

double distance_width(const Evidence& evidence, const Constants& constants) {
  if (evidence.studies == 0) {
    return evidence.model ? constants.width_no_study : constants.width_new_model;
  }
  return evidence.studies == 1 ? constants.width_one_study : 0;
}

double Uncertainty::half_width() const {
  return std::sqrt(base * base + routing * routing + softmax * softmax + overlap * overlap +
                   tensor_parallel * tensor_parallel + hardware * hardware + host * host +
                   laws * laws + distance * distance);
}

Uncertainty uncertainty_of(const StepWork& work, const Constants& constants) {
  constexpr double kFullHostShare = 0.2;
  const workload::Workload& job = *work.job;
  Uncertainty known;
  known.base = constants.width_base;
  const bool unlimited =
      !job.routing.is_forced() &&
      job.routing.limited(constants.imbalance_natural) >= constants.imbalance_natural;
  if (unlimited && work.stated.imbalance <= 0) {
    known.routing = constants.width_routing;
  }
  if (job.architecture.attention.learnable_softmax && !work.stated.attention_path) {
    known.softmax = constants.width_softmax;
  }
  if (job.exchange.overlap && !job.graphs.full_iteration) {
    known.overlap = constants.width_overlap;
  }
  if (job.parallel.tensor > 1 && !work.stated.tensor_overlap) {
    known.tensor_parallel = constants.width_tensor_parallel;
  }
  if (!work.machine.measured) {
    known.hardware = constants.width_hardware;
  }
  constexpr double kStatedHost = 0.35;  // share of the width that remains with a stated host time
  known.host = constants.width_host * (work.stated.host_measured ? kStatedHost : 1) *
               std::min(1.0, host_share(work, constants) / kFullHostShare);
  known.laws = law_width(work, constants);
  if (job.architecture.expert_layers() > 0) {
    known.distance = distance_width(evidence_of(job, work.machine, sim::constants()), constants);
  }
  known.scale(std::sqrt(1 - work.stated.level_known));
  return known;
}

Range around(double value, double half_width) {
  return {value, value * std::exp(-half_width), value * std::exp(half_width)};
}

}  // namespace epwise::sim
