#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/recipe_schema.h"
#include "cli/target/options.h"
#include "data/embedded.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kRecipe = "recipe";

/// "bridge=0.4.0, …, mlm=head"
std::string releases() {
  std::vector<std::string> all;
  for (const auto framework : {recipe::Framework::bridge, recipe::Framework::mlm}) {
    for (const std::string_view version : recipe::Vocabulary::versions(framework)) {
      all.push_back(fmt::format("{}={}", recipe::to_string(framework), version));
    }
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

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

/// Of the release that `--stack` names, else the newest.
recipe::Vocabulary vocabulary_of(recipe::Framework framework, const std::vector<Setting>& stack) {
  std::string version = "head";
  for (const Setting& setting : stack) {
    for (const Setting& entry : split_list(setting)) {
      const std::size_t equals = std::min(entry.value.find('='), entry.value.size());
      const std::string component = entry.value.substr(0, equals);
      const auto of = recipe::parse_framework(component);
      const auto known = recipe::Vocabulary::versions(of.value_or(framework));
      const std::string given = entry.value.substr(std::min(equals + 1, entry.value.size()));
      if (!of || std::ranges::find(known, given) == known.end()) {
        throw world::UsageError(fmt::format("{}: `{}` is no release that schemas are for: {}",
                                            entry.source,
                                            entry.value,
                                            releases()));
      }
      version = *of == framework ? given : version;
    }
  }
  return recipe::Vocabulary::load(framework, version);
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
  const std::vector<Setting> stack = arguments.all("--stack");
  if (name == kRecipe) {
    session.out << recipe_schema(vocabulary_of(recipe::Framework::bridge, stack),
                                 vocabulary_of(recipe::Framework::mlm, stack));
    return ExitCode::clean;
  }
  if (!stack.empty()) {
    throw world::UsageError(
        fmt::format("--stack picks the release of `epwise schema {}` alone", kRecipe));
  }
  const auto all = data::schemas();  // the name is one of them: it is the command's action
  session.out << std::ranges::find(all, name, &data::EmbeddedFile::path)->bytes;
  return ExitCode::clean;
}

}  // namespace

Command schema_command() {
  return {
      .name = "schema",
      .usage = "schema [NAME] [--stack LIST]",
      .summary = "print the JSON Schema of a file or output, or the names of all",
      .examples = {{"schema", "which there are"},
                   {"schema config", "of .epwise.yaml, for an editor"},
                   {"schema recipe", "of recipes, with types and defaults"},
                   {"schema recipe --stack bridge=0.6.2", "of a release that is not the newest"},
                   {"schema lint", "of what lint and gate print with --format json"}},
      .options = {{.name = "--stack",
                   .arity = Option::Arity::many,
                   .value = "LIST",
                   .summary = "of recipe: which release, bridge=0.6.2 or mlm=0.19.0 (newest)",
                   .brief = true}},
      .actions = names(),
      .needs_action = false,
      .about = kAbout,
      .run = run};
}

}  // namespace epwise::cli
