#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/embedded/embedded.h"
#include "commands/all.h"
#include "commands/schema/recipe_schema.h"
#include "recipe/vocabulary/vocabulary.h"
#include "session/options/arguments.h"
#include "session/options/target_options.h"

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

constexpr std::string_view kAboutSchema = R"(OUTPUTS
  An output names its format in `schema`: "epwise.simulate/1" is described by `epwise schema
  simulate`. Within a major version, members are only added. A schema describes what this version
  prints and rejects unknown members; programs that read outputs should ignore them.
)";

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const embedded::EmbeddedFile& file : embedded::schemas()) {
    all.push_back(file.path);
  }
  all.push_back(kRecipe);
  std::ranges::sort(all);
  return all;
}

/// For the release given by `--stack`, otherwise the newest.
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
        throw os::UsageError(fmt::format(
            "{}: `{}` is not a release with a schema: {}", entry.source, entry.value, releases()));
      }
      version = *of == framework ? given : version;
    }
  }
  return recipe::Vocabulary::load(framework, version);
}

ExitCode run_schema(Console& console, const Arguments& arguments) {
  if (arguments.operands.empty()) {
    for (const std::string_view name : names()) {
      console.out << name << '\n';
    }
    return ExitCode::clean;
  }
  const std::string& name = arguments.operands.front();
  if (arguments.operands.size() > 1) {
    throw os::UsageError("give one schema");
  }
  const std::vector<Setting> stack = arguments.all("--stack");
  if (name == kRecipe) {
    console.out << recipe_schema(vocabulary_of(recipe::Framework::bridge, stack),
                                 vocabulary_of(recipe::Framework::mlm, stack));
    return ExitCode::clean;
  }
  if (!stack.empty()) {
    throw os::UsageError(fmt::format("--stack only applies to `epwise schema {}`", kRecipe));
  }
  const auto all = embedded::schemas();  // the name is one of them: it is the command's action
  console.out << std::ranges::find(all, name, &embedded::EmbeddedFile::path)->bytes;
  return ExitCode::clean;
}

}  // namespace

Command schema_command() {
  return {
      .name = "schema",
      .usage = "schema [NAME] [--stack LIST]",
      .summary = "print the JSON Schema of a file or output, or the names of all",
      .examples = {{"schema", "list the schemas"},
                   {"schema config", "of .epwise.yaml, for an editor"},
                   {"schema recipe", "of recipes, with types and defaults"},
                   {"schema recipe --stack bridge=0.6.2", "of an older release"},
                   {"schema lint", "of what lint and gate print with --format json"}},
      .options = {{.name = "--stack",
                   .arity = Option::Arity::many,
                   .value = "LIST",
                   .summary =
                       "for `recipe`: the release, bridge=0.6.2 or mlm=0.19.0 (default: newest)",
                   .brief = true}},
      .actions = names(),
      .needs_action = false,
      .about = kAboutSchema,
      .run = run_schema};
}

}  // namespace epwise::cli
