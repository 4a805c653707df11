#pragma once

#include <string>

#include "editor/client.h"
#include "editor/desk.h"
#include "editor/json.h"

namespace epwise::editor {

/// Where a finding stands in the text that was read: its own place or, where that is elsewhere, the
/// first line of the recipe.
text::Mark place_of(const Reading& reading, const Sheet& sheet, const text::Mark& mark);

/// One finding as the protocol has it: range, severity, `code` the rule's id, related places, and
/// in `data` the rule's short code.
Json diagnostic_of(const Reading& reading,
                   const Sheet& sheet,
                   const lint::Finding& finding,
                   const std::string& uri,
                   const Client& client);

/// All that there is to say about a text, by place.
Json diagnostics_of(const Reading& reading, const std::string& uri, const Client& client);

}  // namespace epwise::editor
