#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "shell/field.h"
#include "shell/source.h"

namespace epwise::shell {

/// A script that a command starts: srun … bash -c '…', sbatch <<EOF, sbatch run.sh, sbatch
/// --wrap '…', bash run.sh, ssh node '…'.
struct NestedScript {
  std::size_t first = 0;            // words before it that belong to the outer command
  Source source;                    // of a text
  std::optional<std::size_t> path;  // of a file: which word names it; its arguments follow
  bool remote = false;              // on another machine, which has variables of its own
};

std::optional<NestedScript> nested_script(const std::vector<Field>& words,
                                          const std::optional<Field>& input);

/// The fields as one text, with blanks between them; what is unknown stays a variable.
Source joined(const std::vector<Field>& fields);

/// The options in the `#SBATCH` lines at the top of a script.
std::vector<Field> directives(const text::SourceFile& script);

}  // namespace epwise::shell
