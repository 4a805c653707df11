#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epwise::text {

/// Lines of the old text replaced by lines of the new one. Lines count from 0 and keep their ends.
struct Hunk {
  int old_begin = 0;
  int old_count = 0;
  int new_begin = 0;
  int new_count = 0;

  bool operator==(const Hunk&) const = default;
};

/// A text split after every line feed; an empty text has no lines.
std::vector<std::string_view> lines_of(std::string_view text);

/// A minimal set of differing lines, ascending and non-adjacent.
std::vector<Hunk> line_diff(const std::vector<std::string_view>& before,
                            const std::vector<std::string_view>& after);

/// A file name as git prints it: as it is, or in quotes with escapes if it contains quotes,
/// backslashes, control characters, marks that hide or reorder text, or bytes that are not UTF-8.
///   quoted_name("a\nb.yaml") → "\"a\\nb.yaml\""
std::string quoted_name(std::string_view name);

/// The difference in the format of `patch` and `git apply`, with three lines of context; empty if
/// there is none.
/// A name that is not plain is in quotes (`quoted_name`).
///   --- a/recipe.yaml
///   +++ b/recipe.yaml
///   @@ -1,2 +1,2 @@
///    model:
///   -  num_moe_experts: 60
///   +  num_moe_experts: 64
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace epwise::text
