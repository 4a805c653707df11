#pragma once

#include <string>
#include <vector>

#include "repair/price.h"

namespace epwise::repair {

/// One thing that can be done, as the search sees it.
struct Option {
  Price price;
  std::vector<std::string> touches;  // options that touch the same thing exclude each other …
  std::string does;                  // … unless they do the same to all of it
};

/// What a set of options leads to.
struct Outcome {
  bool possible = true;  // false: neither this set nor a larger one can be made
  /// What is still wrong; for each, the options of which at least one more is needed. Empty: legal.
  std::vector<std::vector<int>> wanted;
};

/// The world that the search asks.
class Situation {
 public:
  virtual ~Situation() = default;

  /// Options are numbered from 0; looking at a set may find more of them.
  virtual const Option& option(int number) const = 0;

  /// `chosen` is rising. Expensive: the search asks once for each set.
  virtual Outcome look(const std::vector<int>& chosen) = 0;
};

struct Bounds {
  int options = 16;  // in a set
  int looks = 600;   // sets that are looked at
};

struct Found {
  bool found = false;
  std::vector<int> chosen;  // rising
  int looks = 0;
  bool bounded = false;  // the search ended at a bound: a smaller set, or one at all, may exist
};

/// The cheapest legal set of options, by the order of Price: the lowest sum of losses, then of
/// sizes, then the lowest highest tier, then the lowest sum of tiers, then the lowest sum of
/// distances; among equals always the same.
///
/// A hitting-set tree, the most promising set first: each set that is not legal is extended by the
/// options that one of its wants names, and a set promises what it costs and what its wants, as far
/// as no two of them share an option, must cost at least.
Found smallest_legal_set(Situation& situation, const Bounds& bounds = {});

}  // namespace epwise::repair
