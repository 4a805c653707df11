#pragma once

#include <optional>
#include <string_view>

#include "yaml/gaps.h"

namespace epwise::yaml {

/// Looks for `%YAML 1.1` and other directive lines between two documents, [begin, end): each needs
/// a proper name, and a `---` at `end`.
std::optional<Flaw> check_directives(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace epwise::yaml
