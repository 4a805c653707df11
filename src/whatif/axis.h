#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lint/knowledge.h"
#include "model/target.h"

/// What a recipe would say on other targets: hardware, numbers of GPUs and versions of the stack
/// vary, one axis at a time, and together in search of a combination that is clean.
namespace epwise::whatif {

/// One thing of the target that varies.
struct Axis {
  std::string name;                 // "hw", "gpus", or a component of the stack: "te"
  std::vector<std::string> points;  // hardware as listed, everything else ascending
  std::size_t present = 0;          // where the target stands …
  bool assumed = false;             // … because nobody said: the newest, the fewest GPUs that the
                                    // layout fits (the most where it fits none), the first named
  std::string taken;                // which points these are: "releases on PyPI (2026-11)"
};

/// Values of one axis as the user asked for them.
struct Span {
  std::string name;
  std::string text;  // "2.6..2.14", "2.6..", "2.6,2.8", "h100,gb200", "8..1024"
};

/// Whether a text means several values.
bool is_span(std::string_view text);

/// The points of a span and where the target stands on it; a value that the target has is always a
/// point. `layout` (gpus) is the smallest number of GPUs that the recipe's parallel sizes fit, 0
/// when not known. Throws world::UsageError for texts that name nothing.
///
///   versions   the releases in rules/tables/versions.yaml within the range, and every version that
///              a rule compares with; an end that names a series takes all of it (..2.14
///              has 2.14.1)
///   gpus       powers of two within the range, its ends, and `layout` times powers of two
///   hw         the profiles named
Axis make_axis(const Span& span,
               const model::Target& target,
               const lint::Knowledge& knowledge,
               int layout);

/// The target with one value changed.
model::Target moved(model::Target target, const Axis& axis, std::size_t point);

}  // namespace epwise::whatif
