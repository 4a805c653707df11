#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/recipe_schema.h"
#include "data/embedded.h"
#include "recipe/vocabulary/vocabulary.h"
#include "text/spelling.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kRecipe = "recipe";

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
  for (const data::EmbeddedFile& file : data::schemas()) {
    if (file.path == name) {
      session.out << file.bytes;
      return ExitCode::clean;
    }
  }
  throw world::UsageError(
      fmt::format("there is no schema `{}`{}", name, text::did_you_mean(name, names())));
}

}  // namespace

Command schema_command() {
  return {.name = "schema",
          .usage = "schema [NAME]",
          .summary = "print the JSON Schema of a file or output, or the names of all",
          .examples = {{"schema", "which there are"},
                       {"schema config", "of .epwise.yaml, for an editor"},
                       {"schema recipe", "of recipes, with types and defaults"},
                       {"schema lint", "of --format json"}},
          .operands = Completion::nothing,
          .run = run};
}

}  // namespace epwise::cli
