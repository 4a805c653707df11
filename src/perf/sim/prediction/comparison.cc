#include "perf/sim/prediction/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "perf/cost/cost.h"
#include "perf/sim/prediction/uncertainty.h"
#include "perf/sim/step/step.h"

namespace epwise::sim {

namespace {

constexpr std::size_t kDraws = 256;
constexpr std::uint64_t kLawSeed = 0x5851f42d4c957f2d;

double log_step(const StepWork& work, const Constants& constants) {
  return std::log(evaluate(work, constants, {}).step);
}

double tokens_of(const StepWork& work) {
  return static_cast<double>(work.job->batch.global) * work.job->architecture.sequence;
}

/// Deviation of the logarithm of the ratio due to what applies to one side only, or to both
/// unequally.
double own_deviation(const Uncertainty& a, const Uncertainty& b, const Constants& constants) {
  double sum = constants.width_pair * constants.width_pair;
  for (const auto width : {&Uncertainty::routing,
                           &Uncertainty::softmax,
                           &Uncertainty::overlap,
                           &Uncertainty::tensor_parallel}) {
    const double apart = constants.width_apart * (a.*width - b.*width);
    sum += apart * apart;
  }
  return std::sqrt(sum) / cost::kNineTenths;
}

std::vector<double> samples_of(const StepWork& a,
                               const StepWork& b,
                               const ConstantTable& constants,
                               bool one_recipe) {
  const SharedErrors errors(constants);
  NormalDraws draws;
  NormalDraws laws(kLawSeed);
  SharedErrors::Draw draw;
  std::vector<double> ratios;
  std::vector<double> own;
  for (std::size_t i = 0; i < kDraws; ++i) {
    errors.draw(draws, laws, draw);
    ratios.push_back(log_step(a, errors.applied(draw, a.spread)) -
                     log_step(b, errors.applied(draw, b.spread)));
    own.push_back(draws.next());
  }
  // Steps that agree whatever the constants are, are the same step: nothing applies to one side only.
  const bool same = std::ranges::all_of(ratios, [](double ratio) { return ratio == 0; });
  const double deviation = same || one_recipe ? 0
                                              : own_deviation(uncertainty_of(a, constants.values),
                                                              uncertainty_of(b, constants.values),
                                                              constants.values);
  std::vector<double> samples;
  samples.reserve(2 * kDraws);
  for (std::size_t i = 0; i < kDraws; ++i) {
    // Both signs, so that swapping the sides mirrors everything exactly.
    const double apart = deviation * own[i];
    samples.push_back(ratios[i] + apart);
    samples.push_back(ratios[i] - apart);
  }
  std::ranges::sort(samples);
  return samples;
}

Verdict judge(const Comparison& comparison) {
  constexpr double kSure = 0.9;
  constexpr double kRepeatNoise = 0.008;  // twice the run-to-run variation of one recipe
  if (std::abs(std::log(comparison.speedup.value)) < kRepeatNoise) {
    return Verdict::too_close;
  }
  if (comparison.b_is_faster > kSure) {
    return Verdict::b;
  }
  return comparison.b_is_faster < 1 - kSure ? Verdict::a : Verdict::too_close;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::a:
      return "a";
    case Verdict::b:
      return "b";
    case Verdict::too_close:
      break;
  }
  return "too_close";
}

namespace {

Comparison compared(const StepWork& a,
                    const StepWork& b,
                    const ConstantTable& constants,
                    bool one_recipe) {
  Comparison comparison;
  const std::vector<double> samples = samples_of(a, b, constants, one_recipe);
  comparison.tokens = tokens_of(b) / tokens_of(a);
  const double own = std::log(comparison.tokens);  // 0 for equal batches, exactly
  const double value =
      std::exp(log_step(a, constants.values) - log_step(b, constants.values) + own);
  comparison.speedup = {
      value,
      std::min(value, std::exp(samples[samples.size() / 10] + own)),
      std::max(value, std::exp(samples[samples.size() - 1 - samples.size() / 10] + own))};
  const auto faster =
      std::ranges::count_if(samples, [own](double ratio) { return ratio + own > 0; });
  const auto equal =
      std::ranges::count_if(samples, [own](double ratio) { return ratio + own == 0; });
  comparison.b_is_faster = (static_cast<double>(faster) + static_cast<double>(equal) / 2) /
                           static_cast<double>(samples.size());
  comparison.verdict = judge(comparison);
  const Waterfall of_a = waterfall_of(a, constants.values);
  const Waterfall of_b = waterfall_of(b, constants.values);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    comparison.causes[i] = {of_a[i].name, of_a[i].seconds, of_b[i].seconds / comparison.tokens};
  }
  std::ranges::stable_sort(comparison.causes, std::greater<>(), [](const CauseOfDifference& cause) {
    return std::abs(cause.saved());
  });
  return comparison;
}

}  // namespace

Comparison compare(const StepWork& a, const StepWork& b, const ConstantTable& constants) {
  return compared(a, b, constants, false);
}

Comparison compare_environments(const StepWork& a,
                                const StepWork& b,
                                const ConstantTable& constants) {
  return compared(a, b, constants, true);
}

}  // namespace epwise::sim
