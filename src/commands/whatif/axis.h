#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lint/facts/target.h"
#include "lint/knowledge.h"

namespace epwise::whatif {

/// Versions of one stack component that the knowledge compares with, directly or through derived
/// values, unordered: boundaries("te") → {"2.7.0", "2.3.0", …}. For the frameworks also the ends of
/// version ranges.
std::vector<std::string> boundaries(std::string_view component, const lint::Knowledge& knowledge);

}  // namespace epwise::whatif

/// The lint result of a recipe on other targets: hardware, numbers of GPUs and stack versions vary,
/// one axis at a time, and jointly in search of a clean combination.

namespace epwise::whatif {

/// One varying property of the target.
struct Axis {
  std::string name;                 // "hw", "gpus", or a component of the stack: "te"
  std::vector<std::string> points;  // hardware as listed, everything else ascending
  std::size_t present = 0;          // the point of the target …
  // … assumed if it was not given: the newest, the fewest GPUs that fit the layout (the most if
  // none fits), the first listed
  bool assumed = false;
  std::string taken;  // the source of these points: "releases on PyPI (2026-11)"
};

/// Values of one axis as given by the user.
struct Span {
  std::string name;
  std::string text;  // "2.6..2.14", "2.6..", "2.6,2.8", "h100,gb200", "8..1024"
};

/// Whether a text describes several values.
bool is_span(std::string_view text);

/// A version that a span names.
struct NamedVersion {
  std::string text;
  bool visited = true;  // false: the end of a range, which is visited only if a release is there
};

/// None for a span of hardware or of numbers of GPUs.
std::vector<NamedVersion> named_versions(const Span& span);

/// The points of a span and the target's position on it; the target's own value is always a
/// point. `layout` (gpus) is the smallest number of GPUs that the recipe's parallel sizes fit, 0
/// when not known. Throws os::UsageError for texts that name no value.
///
///   versions   the releases in rules/tables/versions.yaml within the range, and every version that
///              a rule compares with; an end that names a series takes all of it (..2.14
///              has 2.14.1)
///   gpus       powers of two within the range, its ends, and `layout` times powers of two
///   hw         the profiles named
Axis make_axis(const Span& span,
               const facts::Target& target,
               const lint::Knowledge& knowledge,
               int layout);

/// The target with one value changed.
facts::Target moved(facts::Target target, const Axis& axis, std::size_t point);

}  // namespace epwise::whatif
