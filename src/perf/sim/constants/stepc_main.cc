/// stepc CONSTANTS OUT: checks the table of the step model's constants and writes the one embedded
/// by the build. A problem stops the build.

#include <string>
#include <vector>

#include "perf/sim/constants/constants.h"
#include "yaml/table_compiler.h"

namespace {

namespace yaml = epwise::yaml;

bool run(const std::vector<std::string>& paths) {
  const auto file = yaml::read_source(paths[0]);
  std::vector<epwise::text::Diagnostic> problems;
  const auto table = epwise::sim::read_constants(file, problems);
  if (!yaml::without_problems(problems, paths[0])) {
    return false;
  }
  yaml::write_table(paths[1], epwise::sim::pack_constants(table));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return yaml::table_compiler({argv + 1, argv + argc}, 2, "stepc CONSTANTS OUT", run);
}
