#pragma once

#include "editor/desk.h"
#include "editor/json.h"

namespace epwise::editor {

/// Settings as an editor sends them, in initializationOptions or below "epwise":
///
///   {"hw": "gb200", "gpus": 256, "stack": {"te": "2.14.0"}, "ignore": ["memory/"]}
///   → {"hw", "gb200"}, {"gpus", "256"}, {"stack", "te=2.14.0"}, {"ignore", "memory/"}
///
/// Null values are left out. Throws world::UsageError for what is no text, number, switch, list or
/// mapping of those.
Wishes wishes_in(const Json& settings);

}  // namespace epwise::editor
