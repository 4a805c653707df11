#pragma once

#include "report/json_text.h"

namespace epwise::editor {

/// What a language client and this server say to each other.
using report::Json;

}  // namespace epwise::editor
