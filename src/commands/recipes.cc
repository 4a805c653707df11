#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"
#include "commands/all.h"
#include "recipe/load.h"
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

  `show` prints the values that differ from the defaults of their classes, with --full all of them.
  Wherever --base takes a file, it takes such a name; launch scripts that name a recipe use it.
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
  std::string release(recipe::Vocabulary::load(recipe::Framework::bridge, version).version());
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
  const std::vector<std::string_view> names = book.names(release);
  const auto longer = std::ranges::count_if(
      names, [&](std::string_view each) { return each.find(name) != each.npos; });
  throw UsageError(
      fmt::format("unknown recipe `{}` of Megatron-Bridge {}{} (see `epwise recipes list{}`)",
                  name,
                  release,
                  longer > 0 ? fmt::format(": {} recipes have it in their name", longer)
                             : text::did_you_mean(name, names),
                  longer > 0 ? " " + name : ""));
}

ExitCode list(Console& console, const Arguments& arguments) {
  const std::string release = table_of(stated_release(arguments));
  report::Json rows = report::Json::array();
  for (const std::string_view name : RecipeBook::embedded().names(release)) {
    const bool wanted = std::all_of(
        arguments.operands.begin() + 1, arguments.operands.end(), [name](const std::string& part) {
          return name.find(part) != name.npos;
        });
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

/// Lines of the recipe whose fields have the default of their class.
std::vector<int> default_lines(const std::shared_ptr<const text::SourceFile>& file,
                               const recipe::Vocabulary& vocabulary) {
  recipe::Request request;
  request.file = file;
  const auto recipes = recipe::load(
      request,
      [&vocabulary](recipe::Framework) -> const recipe::Vocabulary& { return vocabulary; });
  std::vector<int> lines;
  for (const recipe::Recipe& recipe : recipes) {
    for (const auto& named : recipe.fields) {
      const recipe::FieldSpec* spec = recipe.vocabulary_or(vocabulary).find(named.first);
      const bool usual = spec != nullptr && spec->has_default &&
                         !spec->default_value.is_unknown() &&
                         spec->default_value.to_text() == named.second.value.to_text();
      if (usual) {
        lines.push_back(named.second.key.start().line);
      }
    }
  }
  std::ranges::sort(lines);
  return lines;
}

/// The recipe without the lines that repeat a default.
std::string without_defaults(const std::shared_ptr<const text::SourceFile>& file,
                             const recipe::Vocabulary& vocabulary) {
  const std::vector<int> usual = default_lines(file, vocabulary);
  std::string text;
  for (int number = 1; number <= file->line_count(); ++number) {
    const std::string_view line = file->line(number);
    if (!line.empty() && (!line.starts_with(' ') || !std::ranges::binary_search(usual, number))) {
      text += fmt::format("{}\n", line);
    }
  }
  return text;
}

ExitCode show(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() != 2) {
    throw UsageError("give one recipe: `epwise recipes show llama3_8b_pretrain_config`");
  }
  const recipe::RecipeName name = recipe::parse_recipe_name(arguments.operands[1]);
  const std::string release =
      table_of(name.release.empty() ? stated_release(arguments) : name.release);
  const NamedRecipe& found = known_recipe(release, name.name);
  const auto file = RecipeBook::embedded().file(release, found.name);
  const bool full = arguments.flag("--full");
  console.out << fmt::format("# {} of Megatron-Bridge {}", found.name, release)
              << (found.gpus == 0 ? "" : fmt::format(", for {} GPUs", found.gpus)) << '\n'
              << (full ? std::string(file->bytes())
                       : without_defaults(
                             file, recipe::Vocabulary::load(recipe::Framework::bridge, release)));
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
      const std::string path = section.key + "." + entry.key;
      if (entry.key != "transformer" || !entry.value.is_mapping()) {
        values[path] = text_at(entry.value);
        continue;
      }
      for (const yaml::Entry& deeper : entry.value.entries) {
        values[path + "." + deeper.key] = text_at(deeper.value);
      }
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
  if (arguments.text_of("--format", "text") == "json") {
    throw UsageError(fmt::format("`epwise recipes {}` prints {}; --format json is for `list`",
                                 action,
                                 action == "show" ? "YAML" : "a diff"));
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
  options.push_back({.name = "--full", .summary = "show: also values that are defaults"});
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
