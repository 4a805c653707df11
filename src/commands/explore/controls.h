#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perf/cost/table.h"
#include "session/analysis.h"
#include "ui/json.h"

namespace epwise::explore {

/// What can be set on the page: every axis of `epwise advise` on which this recipe has a choice,
/// with its moves in order and the one that the recipe has.
///   [{"axis": "expert", "group": "mapping", "title": "expert parallelism", "kind": "slider",
///     "moves": ["1", "2", "4", "8"], "present": "8"}, …]
/// `present` is null if the recipe has none of the moves.
report::Json controls_of(const session::Analysis& analysis);

/// The same, and which moves would bring an error, even with the changes that they need, or be
/// undone by the launch. Takes a lint for each move.
///   "refused": [{"move": "4", "why": "… (PAR006)"}]
report::Json judged_controls_of(const session::Analysis& analysis, const cost::Table& laws);

/// A move made in the text.
struct Moved {
  std::string text;
  std::vector<std::string> with;  // fields of the changes that it needs: "model.sequence_parallel"
  std::string problem;            // why it cannot be made
};

Moved moved(const session::Analysis& analysis,
            const cost::Table& laws,
            std::string_view axis,
            std::string_view move);

}  // namespace epwise::explore
