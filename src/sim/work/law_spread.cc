#include "sim/work/law_spread.h"

namespace epwise::sim {

void LawTally::add(Law law, const cost::Cost& cost) {
  Sum& sum = sums_[static_cast<std::size_t>(law)];
  sum.seconds += cost.seconds;
  sum.deviation += cost.seconds * cost.relative_sd;
}

LawSpread LawTally::spread() const {
  LawSpread spread;
  for (std::size_t i = 0; i < kLawCount; ++i) {
    if (sums_[i].seconds > 0) {
      spread.deviation[i] = sums_[i].deviation / sums_[i].seconds;
    }
  }
  return spread;
}

}  // namespace epwise::sim
