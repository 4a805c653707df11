#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"
#include "commands/all.h"
#include "recipe/named/named_recipe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "session/options/arguments.h"
#include "session/options/target_options.h"
#include "ui/command.h"
#include "ui/json.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

using os::UsageError;
using recipe::NamedRecipe;
using recipe::RecipeBook;

constexpr std::string_view kAboutRecipes = R"(NAMES
  A recipe has the name of its function in Megatron-Bridge. Performance recipes of releases before
  0.6.0 are functions of GPU, precision and variant; they have the name of their workload, for
  instance qwen3_30b_a3b_pretrain_config_h100_bf16_v1. NAME@RELEASE names a recipe of a release.

  The values are those that the recipe sets, without the defaults of its classes. Wherever --base
  takes a file, it takes such a name; launch scripts that name a recipe use it.
)";

/// The release in --stack bridge=…, otherwise the newest one.
std::string stated_release(const Arguments& arguments) {
  std::string release = "head";
  for (const Setting& setting : arguments.all("--stack")) {
    for (const Setting& entry : split_list(setting)) {
      constexpr std::string_view kBridge = "bridge=";
      if (entry.value.starts_with(kBridge)) {
        release = entry.value.substr(kBridge.size());
      }
    }
  }
  return release;
}

/// The release whose table answers for a version.
std::string table_of(const std::string& version) {
  const RecipeBook& book = RecipeBook::embedded();
  const std::string release(
      recipe::Vocabulary::load(recipe::Framework::bridge, version).version());
  const std::vector<std::string_view> known = book.releases();
  if (std::ranges::find(known, release) == known.end()) {
    throw UsageError(fmt::format("no recipes are known for Megatron-Bridge {}; known releases: {}",
                                 version,
                                 fmt::join(known, ", ")));
  }
  return release;
}

const NamedRecipe& known_recipe(const std::string& release, const std::string& name) {
  const RecipeBook& book = RecipeBook::embedded();
  if (const NamedRecipe* recipe = recipe::counterpart(book, release, name)) {
    return *recipe;
  }
  throw UsageError(fmt::format("unknown recipe `{}` of Megatron-Bridge {}{} (see `epwise recipes "
                               "list`)",
                               name,
                               release,
                               text::did_you_mean(name, book.names(release))));
}

ExitCode list(Console& console, const Arguments& arguments) {
  const std::string release = table_of(stated_release(arguments));
  report::Json rows = report::Json::array();
  for (const std::string_view name : RecipeBook::embedded().names(release)) {
    const bool wanted =
        std::all_of(arguments.operands.begin() + 1,
                    arguments.operands.end(),
                    [name](const std::string& part) { return name.find(part) != name.npos; });
    if (!wanted) {
      continue;
    }
    if (arguments.text_of("--format", "text") == "json") {
      rows.push_back({{"name", name}, {"gpus", RecipeBook::embedded().find(release, name)->gpus}});
    } else {
      console.out << name << '\n';
    }
  }
  if (arguments.text_of("--format", "text") == "json") {
    console.out << report::json_text(
        {{"schema", "epwise.recipes/1"}, {"release", release}, {"recipes", rows}});
  }
  return ExitCode::clean;
}

ExitCode show(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() != 2) {
    throw UsageError("give one recipe: `epwise recipes show llama3_8b_pretrain_config`");
  }
  const recipe::RecipeName name = recipe::parse_recipe_name(arguments.operands[1]);
  const std::string release =
      table_of(name.release.empty() ? stated_release(arguments) : name.release);
  const NamedRecipe& found = known_recipe(release, name.name);
  console.out << fmt::format("# {} of Megatron-Bridge {}", found.name, release)
              << (found.gpus == 0 ? "" : fmt::format(", for {} GPUs", found.gpus)) << '\n'
              << RecipeBook::embedded().text(found);
  return ExitCode::clean;
}

/// {"model.num_layers": "48"} of all values of a recipe, and of sections that are not mappings.
std::map<std::string, std::string> values_of(const NamedRecipe& recipe) {
  const text::SourceFile file("recipe", RecipeBook::embedded().text(recipe));
  const yaml::Stream stream = yaml::parse(file);
  std::map<std::string, std::string> values;
  const auto text_at = [&file](const yaml::Node& node) {
    return std::string(file.bytes().substr(node.mark.begin, node.mark.end - node.mark.begin));
  };
  for (const yaml::Entry& section : stream.documents.front().root.entries) {
    if (!section.value.is_mapping()) {
      values[section.key] = text_at(section.value);
    }
    for (const yaml::Entry& entry : section.value.entries) {
      values[section.key + "." + entry.key] = text_at(entry.value);
    }
  }
  return values;
}

ExitCode difference(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() != 4) {
    throw UsageError(
        "give a recipe and two releases: `epwise recipes diff llama3_8b_pretrain_config 0.5.0 "
        "0.6.2`");
  }
  std::vector<std::map<std::string, std::string>> sides;
  for (const std::size_t side : {std::size_t{2}, std::size_t{3}}) {
    const std::string& version = arguments.operands[side];
    const std::string release = table_of(version);
    const NamedRecipe& found = known_recipe(release, arguments.operands[1]);
    console.out << fmt::format("{} {}@{}{}\n",
                               side == 2 ? "---" : "+++",
                               found.name,
                               release,
                               release == version ? "" : fmt::format(" (for {})", version));
    sides.push_back(values_of(found));
  }
  std::map<std::string, std::string> names = sides[0];
  names.insert(sides[1].begin(), sides[1].end());
  bool differ = false;
  for (const auto& name : names) {
    const auto before = sides[0].find(name.first);
    const auto after = sides[1].find(name.first);
    if (before != sides[0].end() && after != sides[1].end() && before->second == after->second) {
      continue;
    }
    differ = true;
    console.out << (before == sides[0].end() ? ""
                                             : fmt::format("-{}: {}\n", name.first, before->second))
                << (after == sides[1].end() ? ""
                                            : fmt::format("+{}: {}\n", name.first, after->second));
  }
  return differ ? ExitCode::findings : ExitCode::clean;
}

ExitCode run_recipes(Console& console, const Arguments& arguments) {
  const std::string& action = arguments.operands.front();
  if (action == "list") {
    return list(console, arguments);
  }
  return action == "show" ? show(console, arguments) : difference(console, arguments);
}

std::vector<Option> recipes_options() {
  std::vector<Option> options;
  for (Option& option : target_options()) {
    if (option.name == "--stack") {
      options.push_back(std::move(option));
    }
  }
  options.push_back(format_option());
  return options;
}

}  // namespace

Command recipes_command() {
  return {.name = "recipes",
          .usage = "recipes list [TEXT...] | recipes show NAME | recipes diff NAME OLD NEW",
          .summary = "list Megatron-Bridge's own recipes, show one as YAML, or compare releases",
          .examples = {{"recipes list qwen3 h100 --stack bridge=0.6.2",
                        "the recipes with both in their name"},
                       {"recipes show llama3_8b_pretrain_config@0.5.0", "its values as YAML"},
                       {"recipes diff llama3_8b_pretrain_config 0.5.0 0.6.2",
                        "the values that a release changed"}},
          .options = recipes_options(),
          .exits = {{ExitCode::clean, "done; for diff: no difference"},
                    {ExitCode::findings, "diff: the recipes differ"}},
          .actions = {"list", "show", "diff"},
          .about = kAboutRecipes,
          .run = run_recipes};
}

}  // namespace epwise::cli
