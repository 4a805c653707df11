#pragma once

#include <string>
#include <vector>

#include "session/workspace.h"
#include "ui/command.h"
#include "ui/console.h"

namespace epwise::cli {

/// The options of a command about a single recipe: target, format (text or json), rules,
/// configuration, acceptance, document.
std::vector<Option> single_recipe_options();

/// Where the recipe of such a command comes from. `path`: a file, "-" for standard input, or empty
/// for the words after `--` alone. Throws os::UsageError where --no-input forbids reading the
/// terminal.
Source source_of(const std::string& path, const Arguments& arguments, Console& console);

/// Every recipe of a file, or of what else `path` names for source_of.
std::vector<Analysis> analyses_of(const std::string& path,
                                  const Arguments& arguments,
                                  Console& console,
                                  Workspace& workspace);

/// One recipe with all that options, its header and the configuration say about it. Throws
/// os::UsageError and os::MissingError.
Analysis analyze_path(const std::string& path,
                      const Arguments& arguments,
                      Console& console,
                      Workspace& workspace);

}  // namespace epwise::cli
