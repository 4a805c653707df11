#pragma once

#include <vector>

#include "lint/expression_reader.h"
#include "lint/knowledge.h"
#include "yaml/node.h"

namespace epwise::lint {

/// rules/tables/troubles.yaml: errors of running jobs, what they mean and what to try.
void read_troubles(const yaml::Node& root, Tables& tables, Reading& reading);

/// Whether the rules that troubles name exist, and no two troubles have the same words.
void check_troubles(const Knowledge& knowledge, std::vector<text::Diagnostic>& problems);

}  // namespace epwise::lint
