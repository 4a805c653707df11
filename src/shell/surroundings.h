#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/field.h"
#include "shell/variables.h"
#include "text/source_file.h"

namespace epwise::shell {

/// What a script finds around it.
struct Surroundings {
  std::string path;  // of the script, as it was named: $0
  /// What the caller's environment is known to say; nullopt: unset on purpose. All other names
  /// count as unset for `${X:-default}` and `-z`, and as unknown where they are used plainly.
  std::map<std::string, std::optional<std::string>, std::less<>> environment;
  std::map<std::string, Variable> presets;  // what the scheduler sets before the script runs
  std::vector<Field> arguments;             // $1, $2, …
  std::vector<Field> outer;  // of the command that starts the script: sbatch and its options
  /// Another file that the script reads; null pointer: it isn't known.
  std::function<std::shared_ptr<const text::SourceFile>(const std::string& path)> open;
};

}  // namespace epwise::shell
