#pragma once

#include <string>
#include <vector>

#include "world/files.h"

namespace epwise::cli {

/// One file to lint.
struct Input {
  std::string path;       // as it is shown: "recipes/a.yaml"; "<stdin>" without --stdin-filename
  bool named = true;      // given by name; false: found in a folder or by a pattern
  bool standard = false;  // standard input
};

/// What the arguments of `epwise lint` stand for.
struct FileSelection {
  std::vector<Input> inputs;            // sorted by path, each file once
  std::vector<std::string> unreadable;  // one sentence for each argument that gave nothing
};

/// A file is taken as it is, a folder gives every YAML file (*.yaml, *.yml) and shell
/// script (*.sh, *.bash, *.sbatch, *.slurm, *.sub) below it, a word with `*`, `?`
/// or `[` that names no file gives the files it matches, `-` is standard input under the name
/// `standard_name`. Folders and patterns leave out what .gitignore and .epwiseignore files between
/// the repository's root and the file name, and `.git` itself; links back to a folder above are not
/// followed.
FileSelection select_files(const world::Files& files,
                           const std::vector<std::string>& arguments,
                           const std::string& standard_name);

/// Whether a folder gives a file of that name.
bool is_lintable(const std::string& name);

}  // namespace epwise::cli
