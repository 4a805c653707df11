/// recipec TABLES OUT: checks the tables of Megatron-Bridge's recipes (src/recipe/named/tables/)
/// and writes the one embedded by the build. A problem stops the build.

#include <deque>
#include <string>
#include <vector>

#include "recipe/named/table_yaml.h"
#include "yaml/table_compiler.h"

namespace {

namespace yaml = epwise::yaml;

bool run(const std::vector<std::string>& paths) {
  std::vector<epwise::text::Diagnostic> problems;
  std::deque<epwise::text::SourceFile> files;  // diagnostics point into them
  for (const std::string& path : yaml::yaml_files(paths[0])) {
    files.push_back(yaml::read_source(path));
  }
  const std::string bytes = epwise::recipe::compile_recipes(files, problems);
  if (!yaml::without_problems(problems, paths[0])) {
    return false;
  }
  yaml::write_table(paths[1], bytes);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return yaml::table_compiler({argv + 1, argv + argc}, 2, "recipec TABLES OUT", run);
}
