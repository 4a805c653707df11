#pragma once

#include "editor/client.h"
#include "editor/desk.h"
#include "editor/json.h"

namespace epwise::editor {

/// Behind each value that the framework replaces at its start-up, what it becomes, with the reason
/// as a tooltip; for values between two offsets of the text.
Json hints_between(const Reading& reading,
                   std::size_t begin,
                   std::size_t end,
                   const Client& client);

}  // namespace epwise::editor
