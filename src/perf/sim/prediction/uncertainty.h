#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "perf/sim/constants/constants.h"
#include "perf/sim/prediction/evidence.h"
#include "perf/sim/work/step_work.h"
#include "perf/sim/work/work.h"

namespace epwise::sim {

/// Standard normal deviates, with the same sequence on every machine and in every build (the
/// standard library does not specify its distributions).
class NormalDraws {
 public:
  NormalDraws() = default;

  /// Another sequence, independent of the first.
  explicit NormalDraws(std::uint64_t seed) : state_(seed) {}

  double next();

 private:
  double uniform();

  std::uint64_t state_ = 0x9e3779b97f4a7c15;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// A deviation for each law; the last one for exchanges that send a token once per rank.
using LawDeviations = std::array<double, kLawCount + 1>;

/// Errors common to all predictions: the constants, by their `log_sd`, and the laws, by the
/// deviations of the recipe's own calls as far as those exceed the deviation of the constant that
/// multiplies the law (which was fitted, or chosen, with the law's error in it). One draw applies
/// to every recipe, so that common errors cancel in ratios.
class SharedErrors {
 public:
  /// A draw: standard deviates of the constants that have a `log_sd`, and of the laws.
  struct Draw {
    std::vector<double> constants;
    LawDeviations laws{};
  };

  explicit SharedErrors(const ConstantTable& table);

  /// Laws have their own sequence: draws of the constants do not depend on them.
  void draw(NormalDraws& constants, NormalDraws& laws, Draw& into) const;

  /// The constants for a recipe whose laws deviate by `spread`.
  Constants applied(const Draw& draw, const LawSpread& spread) const;

 private:
  struct Sampled {
    double Constants::*member = nullptr;
    double log_sd = 0;
  };

  Constants values_;
  LawDeviations deviations_{};
  std::vector<Sampled> sampled_;
};

/// The constants with one law's results multiplied by `factor`; `law` as in
/// `SharedErrors::Draw::laws`.
void scale_law(Constants& constants, std::size_t law, double factor);

/// Half width of the 80 % interval (logarithmic) of a step due to laws, in addition to their
/// constants: the deviation of each, propagated through the step one at a time.
double law_width(const StepWork& work, const Constants& constants);

struct Range {
  double value = 0;
  double low = 0;  // with high: 80 %
  double high = 0;
};

/// The uncertainty of a step, as logarithmic half widths of its 80 % interval. A class that does
/// not apply is 0; recipes that share a class share its error.
struct Uncertainty {
  double base = 0;
  double routing = 0;
  double softmax = 0;
  double overlap = 0;
  double tensor_parallel = 0;
  double hardware = 0;
  double host = 0;
  double laws = 0;      // of kernels and exchanges, by their own deviations
  double distance = 0;  // from the nearest published steps

  double half_width() const;  // of all together
  void scale(double factor);  // every class
};

Uncertainty uncertainty_of(const StepWork& work, const Constants& constants);

/// `Uncertainty::distance` with such evidence, for a model that has experts.
double distance_width(const Evidence& evidence, const Constants& constants);

/// value · exp(± half width).
Range around(double value, double half_width);

}  // namespace epwise::sim
