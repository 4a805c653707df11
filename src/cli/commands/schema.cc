#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/recipe_schema.h"
#include "data/embedded.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kRecipe = "recipe";

constexpr std::string_view kAbout = R"(OUTPUTS
  An output names its form in `schema`: "epwise.simulate/1" is of `epwise schema simulate`. Within that
  number members are only added. A schema describes what this version prints and refuses members
  that it does not know; a program that reads outputs should pass over them.
)";

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const data::EmbeddedFile& file : data::schemas()) {
    all.push_back(file.path);
  }
  all.push_back(kRecipe);
  std::ranges::sort(all);
  return all;
}

ExitCode run(Session& session, const Arguments& arguments) {
  if (arguments.operands.empty()) {
    for (const std::string_view name : names()) {
      session.out << name << '\n';
    }
    return ExitCode::clean;
  }
  const std::string& name = arguments.operands.front();
  if (arguments.operands.size() > 1) {
    throw world::UsageError("one schema at a time");
  }
  if (name == kRecipe) {
    session.out << recipe_schema(recipe::Vocabulary::load(recipe::Framework::bridge, "head"),
                                 recipe::Vocabulary::load(recipe::Framework::mlm, "head"));
    return ExitCode::clean;
  }
  const auto all = data::schemas();  // the name is one of them: it is the command's action
  session.out << std::ranges::find(all, name, &data::EmbeddedFile::path)->bytes;
  return ExitCode::clean;
}

}  // namespace

Command schema_command() {
  return {.name = "schema",
          .usage = "schema [NAME]",
          .summary = "print the JSON Schema of a file or output, or the names of all",
          .examples = {{"schema", "which there are"},
                       {"schema config", "of .epwise.yaml, for an editor"},
                       {"schema recipe", "of recipes, with types and defaults"},
                       {"schema lint", "of what lint and gate print with --format json"}},
          .actions = names(),
          .needs_action = false,
          .about = kAbout,
          .run = run};
}

}  // namespace epwise::cli
