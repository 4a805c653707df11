#include "sim/uncertainty/shared_errors.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "cost/quantile.h"
#include "sim/step/step.h"

namespace epwise::sim {

namespace {

using Members = std::span<double Constants::*const>;

/// The constants that multiply a law's answers.
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

/// What a law leaves open besides its constant, whose deviation holds the law's where steps bind
/// it.
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

}  // namespace epwise::sim
