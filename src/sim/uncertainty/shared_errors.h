#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sim/constants/constants.h"
#include "sim/uncertainty/normal_draws.h"
#include "sim/work/law_spread.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

/// A deviation for each law; the last for exchanges whose tokens are sent once a rank.
using LawDeviations = std::array<double, kLawCount + 1>;

/// What all predictions get wrong together: the constants, by their `log_sd`, and the laws, by the
/// deviations of the recipe's own calls as far as those exceed the deviation of the constant that
/// multiplies the law (it was fitted, or chosen, with the law's error in it). One draw holds for
/// every recipe, so that what two of them share cancels in their ratio.
class SharedErrors {
 public:
  /// A draw: standard deviates of the constants that have a `log_sd`, and of the laws.
  struct Draw {
    std::vector<double> constants;
    LawDeviations laws{};
  };

  explicit SharedErrors(const ConstantTable& table);

  /// Laws have a sequence of their own: what the constants draw does not depend on them.
  void draw(NormalDraws& constants, NormalDraws& laws, Draw& into) const;

  /// The constants as a recipe sees them whose laws deviate by `spread`.
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

/// The constants with one law's answers times `factor`; `law` as in `SharedErrors::Draw::laws`.
void scale_law(Constants& constants, std::size_t law, double factor);

/// Half width of the 80 % interval, log, that laws leave a step besides their constants: the
/// deviation of each, carried through the step one at a time.
double law_width(const StepWork& work, const Constants& constants);

}  // namespace epwise::sim
