#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"

/// Shared by the programs that compile YAML into tables during the build (rulec, lawc, stepc,
/// advicec).
namespace epwise::yaml {

/// Throws std::runtime_error if the file cannot be read.
text::SourceFile read_source(const std::string& path);

/// The paths of the `.yaml` files in a directory and its subdirectories, sorted.
std::vector<std::string> yaml_files(const std::string& folder);

/// Prints problems to stderr in compiler format, so that editors find the location; those without a
/// location are attributed to `nameless`. Returns whether there are none.
///   hwprofiles/stepmodel/constants.yaml:12:5: error: a unit is missing
bool without_problems(const std::vector<text::Diagnostic>& problems, const std::string& nameless);

/// Throws std::runtime_error if the file cannot be written, including lack of space.
void write_table(const std::string& path, std::string_view bytes);

/// The result of `main`: 0 if `run` returns true, 1 if it returns false or throws (the exception is
/// printed to stderr), 2 without `count` arguments. `usage` begins with the program's name:
///   table_compiler({argv + 1, argv + argc}, 2, "lawc LAWS OUT", run)
int table_compiler(const std::vector<std::string>& arguments,
                   std::size_t count,
                   std::string_view usage,
                   bool (*run)(const std::vector<std::string>& arguments));

}  // namespace epwise::yaml
