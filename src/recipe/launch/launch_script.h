#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text/source_file.h"
#include "recipe/arguments/arguments.h"
#include "recipe/load.h"
#include "recipe/rank_count.h"
#include "recipe/recipe.h"
#include "recipe/shell/field.h"
#include "recipe/shell/variables.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

/// Whether a text is a shell script: by its first line (`#!/bin/bash`), `#SBATCH` lines, its file
/// extension, or lines that export variables and start programs.
bool is_launch_script(const text::SourceFile& file);

/// The launches of a shell script, one recipe each; one unreadable recipe if it starts none.
/// `words` are the script's own arguments if it uses them, otherwise they are appended to the
/// program's. Exported variables become those of the recipe, the launcher's numbers its world size.
std::vector<Recipe> read_launch_script(
    const Request& request,
    const Recipe& start,
    const std::vector<Word>& words,
    const std::function<const Vocabulary&(Framework)>& vocabulary_for);

/// A command that no script starts: that of a container.
struct Command {
  std::vector<shell::Field> words;
  std::map<std::string, shell::Variable> variables;  // of its environment
  std::optional<Ranks> ranks;                        // that its scheduler starts
  std::optional<Ranks> gpus;                         // pods with GPUs, and those of each
  bool sets_nodes = false;  // the scheduler tells torchrun the number of nodes
};

/// The launches of a command, read like those of a script; empty if it starts none.
std::vector<Recipe> read_command(const Request& request,
                                 const Recipe& start,
                                 const Command& command,
                                 const std::vector<Word>& words,
                                 const std::function<const Vocabulary&(Framework)>& vocabulary_for);

}  // namespace epwise::recipe
