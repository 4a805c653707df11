#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/constants/constants.h"
#include "sim/step/waterfall.h"
#include "sim/uncertainty/uncertainty.h"
#include "sim/work/step_work.h"

namespace epwise::sim {

enum class Verdict : std::uint8_t { a, b, too_close };

std::string_view to_string(Verdict verdict);  // "a", "b", "too_close"

/// What one cause contributes to the difference of two steps; positive: B saves it.
struct CauseOfDifference {
  std::string_view name;
  double a = 0;  // s
  double b = 0;  // s

  double saved() const { return a - b; }
};

/// Two recipes on one machine.
struct Comparison {
  Range speedup;           // T(A)/T(B): above 1, B is faster
  double b_is_faster = 0;  // chance
  Verdict verdict = Verdict::too_close;
  std::array<CauseOfDifference, kWaterfallNames.size()> causes{};  // the largest first
};

/// Draws the constants 256 times, each time the same for both, so that what both get wrong cancels;
/// what is unknown about one of them alone (routing, overlap, …) stays. Deterministic.
///
/// The faster is named when nine of ten draws agree, and the steps differ by more than two runs of
/// one recipe do (0.8 %).
Comparison compare(const StepWork& a, const StepWork& b, const ConstantTable& constants);

}  // namespace epwise::sim
