#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shell/field.h"
#include "shell/surroundings.h"
#include "shell/variables.h"
#include "text/source_file.h"

namespace epwise::shell {

/// A program that the script starts. What starts another shell (srun … bash -c '…', sbatch <<EOF,
/// bash run.sh) is followed: its own words stand before those of the program.
struct Invocation {
  std::vector<Field> words;
  std::map<std::string, Variable> environment;  // exported, and what stands before the command
  bool certain = true;     // false: in a branch of which nobody knows whether it runs
  bool elsewhere = false;  // behind a `cd` to a folder that is perhaps not one around the script
};

struct Trace {
  std::vector<Invocation> invocations;                         // in order, up to some
  bool uses_arguments = false;                                 // $1, "$@"
  std::vector<std::shared_ptr<const text::SourceFile>> files;  // read besides the script
};

/// Follows a script as far as its text tells what happens: branches whose condition is known,
/// loops over known words, functions where they are called. Of an open branch both sides are
/// followed, and what they change is there under a condition. Runs nothing, ends always.
Trace follow(const text::SourceFile& script, const Surroundings& surroundings);

}  // namespace epwise::shell
