#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"

namespace epwise::recipe {

/// Tables of recipes (src/recipe/named/tables/, format in tests/oracle/README.md), the oldest
/// release first, → the bytes that named_recipe.h reads.
///
/// Reports all problems (rule id "recipes/invalid"): a missing `release`, a section that is like a
/// later one, a recipe with a section that does not exist, more than 65,535 different lines or
/// sections. If there are problems, the bytes must not be used.
///   0.6.2.yaml:7:3: error: `_like: 9` does not name an earlier entry of this section
std::string compile_recipes(const std::deque<text::SourceFile>& files,
                            std::vector<text::Diagnostic>& problems);

}  // namespace epwise::recipe
