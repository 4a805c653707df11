#include "cli/lint/fix_inputs.h"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "lint/rule.h"

namespace epwise::cli {

void check_inputs_of_fix(const FileSelection& selection,
                         const std::vector<std::string>& operands,
                         const world::Files& files) {
  if (selection.unreadable.empty()) {
    return;
  }
  for (const lint::Tier tier :
       {lint::Tier::neutral, lint::Tier::performance, lint::Tier::training}) {
    const std::string name(lint::to_string(tier));
    if (std::ranges::find(operands, name) != operands.end() && !files.is_file(name) &&
        !files.is_directory(name)) {
      throw world::UsageError(fmt::format(
          "`{}` would be a file, and there is none: did you mean --fix={}?", name, name));
    }
  }
  throw world::MissingError(
      fmt::format("{}; nothing was changed", fmt::join(selection.unreadable, "; ")));
}

}  // namespace epwise::cli
