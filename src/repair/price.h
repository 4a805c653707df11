#pragma once

#include <compare>

#include "lint/finding.h"
#include "recipe/recipe.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::repair {

/// What a fix costs the one who wrote the recipe; less is better. Fixes and sets of them are
/// ordered by all of it, in this order:
///
/// * `loss`: how much of what is trained changes: a written number of experts, layers, heads or
///   tokens, a hidden size, the global batch, the precision. No saving makes up for that: a model
///   with other shapes can't go on from its checkpoints.
/// * `size`: one change, but two when it changes how the model lies on the GPUs (a parallel size or
///   a layout), since that moves every rank's share, memory and batch with it, and three when it
///   takes out something that the user switched on and that counts.
/// * `tier`: neutral, performance, training. Of a set the highest, then their sum, each as often as
///   its size.
/// * `distance`: how far the edits lead from what the recipe says, added up over the edits:
///
///   |   1 | the value that counts anyway is written out                       |
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

/// `recipe` is the one that the fix was made for, `vocabulary` has its defaults.
Price price_of(const lint::Fix& fix,
               const recipe::Recipe& recipe,
               const recipe::Vocabulary& vocabulary);

/// How far one edit leads from what the recipe says.
///   tensor_model_parallel_size: 4 → 1 is 160, sequence_parallel: false → true is 20,
///   recompute_granularity: selektive → selective is 5, global_batch_size: 30 → 32 is 41
int distance_of(const lint::Fix::Edit& edit,
                const recipe::Recipe& recipe,
                const recipe::Vocabulary& vocabulary);

}  // namespace epwise::repair
