#pragma once

#include "editor/client.h"
#include "editor/desk.h"
#include "editor/json.h"

namespace epwise::editor {

/// What there is to say about a place: the findings that stand there, each with its cause and what
/// can be done; else how the value of the key there came about. Null where there is nothing.
Json hover_at(const Reading& reading, std::size_t offset, const Client& client);

}  // namespace epwise::editor
