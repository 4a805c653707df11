/// lawc LAWS OUT: checks the parameter tables under hwprofiles/costlaws/ and writes the one
/// embedded by the build. A problem stops the build.

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "perf/cost/table.h"
#include "yaml/table_compiler.h"

namespace {

namespace yaml = epwise::yaml;
using epwise::cost::TableEntry;

bool run(const std::vector<std::string>& paths) {
  std::vector<epwise::text::Diagnostic> problems;
  std::vector<TableEntry> entries;
  std::deque<epwise::text::SourceFile> files;  // diagnostics point into them
  for (const std::string& path : yaml::yaml_files(paths[0])) {
    files.push_back(yaml::read_source(path));
    for (TableEntry& entry : epwise::cost::read_entries(files.back(), problems)) {
      entries.push_back(std::move(entry));
    }
  }
  if (problems.empty()) {
    epwise::cost::make_table(entries, problems);
  }
  if (!yaml::without_problems(problems, paths[0])) {
    return false;
  }
  yaml::write_table(paths[1], epwise::cost::pack_entries(std::move(entries)));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return yaml::table_compiler({argv + 1, argv + argc}, 2, "lawc LAWS OUT", run);
}
