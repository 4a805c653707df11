#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text/source_file.h"
#include "recipe/shell/field.h"
#include "recipe/shell/syntax.h"
#include "recipe/shell/variables.h"

namespace epwise::shell {

/// A program started by the script. If it starts another shell (srun … bash -c '…', sbatch <<EOF,
/// bash run.sh), that is followed, and its own words come before those of the program.
struct Invocation {
  std::vector<Field> words;
  // of the words, those that a nested script wrote: srun bash -c '…'; the shell that runs the whole
  // script expands the ones before
  std::size_t nested_from = 0;
  // exported variables, and assignments before the command
  std::map<std::string, Variable> environment;
  bool certain = true;     // false: in a branch that may or may not run
  bool elsewhere = false;  // after a `cd` to a directory that may not be near the script
};

/// The scripts that are followed hold so much together; no launch script comes near it.
constexpr std::size_t kMostScriptBytes = std::size_t{4} << 20;

/// A file that the script runs or sources, and that was not followed.
struct Unread {
  Field path;
  bool large = false;  // beyond kMostScriptBytes; else it could not be opened
};

struct Trace {
  std::vector<Invocation> invocations;                         // in order, up to a limit
  bool uses_arguments = false;                                 // $1, "$@"
  std::vector<std::shared_ptr<const text::SourceFile>> files;  // other files that were read
  std::vector<Unread> unread;
  // options that a shell takes for a command, because the lines of the program's command end before
  // them
  std::vector<Field> cut_off;
  Unclosed unclosed;  // of the script itself
  // what was not followed, nor anything after it: "programs after the first 256"; empty: nothing
  std::string beyond;
  // programs, or scripts, whose names a loop over lines or xargs reads from somewhere
  std::vector<Field> unknown_commands;
};

/// Follows a script as far as its text determines the execution: branches with known conditions,
/// loops over known words, functions where they are called. For an undecided branch it follows both
/// sides, and marks their changes as conditional. Runs nothing, always terminates.
Trace follow(const text::SourceFile& script, const Surroundings& surroundings);

/// The same for one command whose words are final: no shell expands them.
Trace follow(const std::vector<Field>& words, const Surroundings& surroundings);

}  // namespace epwise::shell
