#pragma once

#include <compare>
#include <string>
#include <vector>

#include "lint/finding.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::fix {

/// The cost of a fix for the author of the recipe; lower is better. Fixes and sets of fixes are
/// ordered by these criteria, in this order:
///
/// * `loss`: how much of the training itself changes: a written number of experts, layers, heads or
///   tokens, a hidden size, the global batch size, the precision. No saving compensates for it: a
///   model with other shapes cannot resume from its checkpoints.
/// * `size`: one per change, but two if it changes the layout on the GPUs (a parallel size or a
///   layout), since that affects every rank's share, memory and batch, and three if it removes an
///   effective feature that the user switched on.
/// * `tier`: neutral, performance, training. For a set the highest, then the sum, weighted by size.
/// * `distance`: how far the edits move from the recipe, summed over the edits:
///
///   |   1 | the effective value is written explicitly                         |
///   |   5 | a misspelt word becomes the legal one that it nearly is           |
///   |  20 | a switch goes on or off                                           |
///   |  30 | another word or list, a value where there was none, a setting goes |
///   |  40 | another number; + 10 for each doubling or halving, at most + 40   |
///   | 100 | more, where the parallel layout changes                           |
struct Price {
  int size = 1;
  lint::Tier tier = lint::Tier::neutral;
  int distance = 0;
  int loss = 0;
};

/// Loss, size, tier, distance.
std::strong_ordering operator<=>(const Price& a, const Price& b);
bool operator==(const Price& a, const Price& b);

/// `recipe` is the one for which the fix was made; `vocabulary` contains its defaults.
Price price_of(const lint::Fix& fix,
               const recipe::Recipe& recipe,
               const recipe::Vocabulary& vocabulary);

/// How far one edit moves from the recipe.
///   tensor_model_parallel_size: 4 → 1 is 160, sequence_parallel: false → true is 20,
///   recompute_granularity: selektive → selective is 5, global_batch_size: 30 → 32 is 41
int distance_of(const lint::Fix::Edit& edit,
                const recipe::Recipe& recipe,
                const recipe::Vocabulary& vocabulary);

/// One possible change, as the search sees it.
struct Option {
  Price price;
  std::vector<std::string> touches;  // options that affect the same thing exclude each other …
  std::string does;                  // … unless they have the same effect on all of it
};

/// The outcome of a set of options.
struct Outcome {
  bool possible = true;  // false: neither this set nor a superset can be applied
  /// The remaining problems; for each, the options of which at least one more is needed. Empty:
  /// valid.
  std::vector<std::vector<int>> wanted;
};

/// The interface through which the search evaluates sets.
class Situation {
 public:
  virtual ~Situation() = default;

  /// Options are numbered from 0; evaluating a set may discover more of them.
  virtual const Option& option(int number) const = 0;

  /// `chosen` is ascending. Expensive: called once per set.
  virtual Outcome look(const std::vector<int>& chosen) = 0;
};

struct Bounds {
  int options = 16;  // in a set
  int looks = 600;   // limit on evaluated sets
  bool tidy = true;  // also what is not an error
};

struct Found {
  bool found = false;
  std::vector<int> chosen;  // rising
  int looks = 0;
  bool bounded = false;  // the search hit a limit: a smaller solution, or any solution, may exist
};

/// The cheapest valid set of options, in the order of Price: the lowest sum of losses, then of
/// sizes, then the lowest maximum tier, then the lowest sum of tiers, then of distances; ties are
/// broken deterministically.
///
/// A hitting-set tree, explored best-first: each invalid set is extended by the options that one of
/// its needs lists; the bound of a set is its own cost plus the minimum cost of its needs, as far
/// as no two of them share an option.
Found smallest_legal_set(Situation& situation, const Bounds& bounds = {});

}  // namespace epwise::fix
