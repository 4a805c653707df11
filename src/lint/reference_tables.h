#pragma once

#include <string_view>
#include <vector>

#include "lint/expression_reader.h"
#include "lint/knowledge.h"
#include "yaml/node.h"

namespace epwise::lint {

/// Reads one file of rules/tables/ by its path; files that belong to others are left alone.
void read_table(std::string_view path, const yaml::Node& root, Tables& tables, Reading& reading);

/// Whether the list of what is not covered agrees with the rules: its rows exist in the catalogue,
/// none of them is a rule after all, none stands twice.
void check_catalogue(const Knowledge& knowledge, std::vector<text::Diagnostic>& problems);

}  // namespace epwise::lint
