#pragma once

#include <string>
#include <string_view>

#include "session/analysis.h"
#include "ui/json.h"

namespace epwise::explore {

/// What can be set on the page: every axis of `epwise advise` on which this recipe has a choice,
/// with its moves in order and the one that the recipe has.
///   [{"axis": "expert", "group": "mapping", "title": "expert parallelism", "kind": "slider",
///     "moves": ["1", "2", "4", "8"], "present": "8"}, …]
/// `present` is null if the recipe has none of the moves.
report::Json controls_of(const session::Analysis& analysis);

/// The text with a move applied; `problem`: why it cannot be.
std::string text_with(const session::Analysis& analysis,
                      std::string_view axis,
                      std::string_view move,
                      std::string& problem);

}  // namespace epwise::explore
