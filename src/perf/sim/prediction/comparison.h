#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "perf/sim/constants/constants.h"
#include "perf/sim/prediction/uncertainty.h"
#include "perf/sim/step/waterfall.h"
#include "perf/sim/work/step_work.h"

namespace epwise::sim {

enum class Verdict : std::uint8_t { a, b, too_close };

std::string_view to_string(Verdict verdict);  // "a", "b", "too_close"

/// The contribution of one cause to the difference of two steps; positive: B saves it. If the steps
/// process different numbers of tokens, B's time is that for A's tokens.
struct CauseOfDifference {
  std::string_view name;
  double a = 0;  // s
  double b = 0;  // s

  double saved() const { return a - b; }
};

/// Two recipes on one machine.
struct Comparison {
  Range speedup;           // B's tokens per second over A's: above 1, B is faster
  double tokens = 1;       // of a step, B's over A's; where it is 1, the speed-up is T(A)/T(B)
  double b_is_faster = 0;  // chance
  Verdict verdict = Verdict::too_close;
  std::array<CauseOfDifference, kWaterfallNames.size()> causes{};  // largest first

  /// Whether both take the same time in every draw.
  bool is_equal() const { return speedup.low == 1 && speedup.high == 1; }
};

/// Draws the constants 256 times, with the same draw for both, so that common errors cancel;
/// uncertainty of only one of them (routing, overlap, …) remains. Deterministic.
///
/// A recipe is called faster if nine of ten draws agree and the difference exceeds the run-to-run
/// variation of one recipe (0.8 %). Half the batch in 0.55 of the time is slower:
///   compare(batch 256, batch 128) → speedup.value 0.91, tokens 0.5, verdict a
Comparison compare(const StepWork& a, const StepWork& b, const ConstantTable& constants);

/// The same for one recipe in two environments: only what the constants give sets them apart.
Comparison compare_environments(const StepWork& a,
                                const StepWork& b,
                                const ConstantTable& constants);

}  // namespace epwise::sim
