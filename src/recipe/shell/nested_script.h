#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "recipe/shell/field.h"
#include "recipe/shell/syntax.h"

namespace epwise::shell {

/// A script started by a command: srun … bash -c '…', sbatch <<EOF, sbatch run.sh, sbatch --wrap
/// '…', bash run.sh, ssh node '…'.
struct NestedScript {
  std::size_t first = 0;  // words before it that belong to the outer command
  Source source;          // of a text
  // for a file: the index of the word with its name; its arguments follow
  std::optional<std::size_t> path;
  bool remote = false;  // on another machine, which has its own variables
};

/// Whether the word is sbatch.
bool submits(const Field& word);

std::optional<NestedScript> nested_script(const std::vector<Field>& words,
                                          const std::optional<Field>& input);

/// The fields as one text, separated by spaces; unknown ones remain variables.
Source joined(const std::vector<Field>& fields);

/// The options in the `#SBATCH` lines at the top of a script.
std::vector<Field> directives(const text::SourceFile& script);

}  // namespace epwise::shell
