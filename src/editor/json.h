#pragma once

#include <nlohmann/json_fwd.hpp>

namespace epwise::editor {

/// What a language client and this server say to each other.
using Json = nlohmann::ordered_json;

}  // namespace epwise::editor
