/// advicec MOVES GUIDANCE MODELS PUBLISHED OUT: checks the knowledge of `epwise advise` and writes the table
/// embedded by the build. A problem stops the build.

#include <string>
#include <vector>

#include "advise/moves.h"
#include "yaml/table_compiler.h"

namespace {

namespace yaml = epwise::yaml;

bool run(const std::vector<std::string>& paths) {
  const auto moves = yaml::read_source(paths[0]);
  const auto guidance = yaml::read_source(paths[1]);
  const auto models = yaml::read_source(paths[2]);
  const auto published = yaml::read_source(paths[3]);
  std::vector<epwise::text::Diagnostic> problems;
  auto knowledge = epwise::advise::read_knowledge(moves, guidance, problems);
  knowledge.models = epwise::advise::read_models(models, problems);
  knowledge.published = epwise::advise::read_published(published, problems);
  if (!yaml::without_problems(problems, paths[0])) {
    return false;
  }
  yaml::write_table(paths[4], epwise::advise::pack(knowledge));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return yaml::table_compiler(
      {argv + 1, argv + argc}, 5, "advicec MOVES GUIDANCE MODELS PUBLISHED OUT", run);
}
