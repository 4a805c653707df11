#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/diagnostic.h"
#include "text/source_file.h"

/// What the programs share that compile YAML into tables while epwise is built (rulec, lawc, stepc,
/// advicec).
namespace epwise::yaml {

/// Throws std::runtime_error when the file can't be read.
text::SourceFile read_source(const std::string& path);

/// The paths of the `.yaml` files in a folder and in those below it, sorted.
std::vector<std::string> yaml_files(const std::string& folder);

/// Writes problems to stderr as compilers do, so that editors find the place; one that is nowhere
/// stands in `nameless`. Whether there are none.
///   hwprofiles/stepmodel/constants.yaml:12:5: error: a unit is missing
bool without_problems(const std::vector<text::Diagnostic>& problems, const std::string& nameless);

/// Throws std::runtime_error when the file can't be written, for lack of space too.
void write_table(const std::string& path, std::string_view bytes);

/// What `main` returns: 0 when `run` says that all is well, 1 when it says no or throws (what it
/// threw goes to stderr), 2 without `count` arguments. `usage` begins with the program's name:
///   table_compiler({argv + 1, argv + argc}, 2, "lawc LAWS OUT", run)
int table_compiler(const std::vector<std::string>& arguments,
                   std::size_t count,
                   std::string_view usage,
                   bool (*run)(const std::vector<std::string>& arguments));

}  // namespace epwise::yaml
