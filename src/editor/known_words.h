#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/knowledge.h"

namespace epwise::editor {

/// Texts that the rules compare a field or the items of its list with, each once, sorted:
/// known_words("model.moe_token_dispatcher_type") → {"allgather", "alltoall", "flex"}.
std::vector<std::string> known_words(const lint::Knowledge& knowledge, std::string_view field);

}  // namespace epwise::editor
