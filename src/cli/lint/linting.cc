#include "cli/lint/linting.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/files/neighbours.h"
#include "cli/lint/pricing.h"
#include "cli/settings/recipe_header.h"
#include "cli/target/resolution.h"
#include "model/launcher_target.h"
#include "recipe/load.h"
#include "waive/waivers.h"
#include "yaml/parse.h"

namespace epwise::cli {

namespace {

using world::MissingError;
using world::UsageError;

constexpr std::string_view kUnrecognized = "recipe/unrecognized";

/// What is said about a text that could be read, whatever it holds.
bool is_no_mistake(const text::Diagnostic& diagnostic) {
  constexpr std::array<std::string_view, 4> kRules = {
      kUnrecognized, "yaml/empty", "yaml/unused-anchor", "yaml/byte-order-mark"};
  return std::ranges::find(kRules, diagnostic.rule) != kRules.end();
}

bool is_no_recipe(const std::vector<recipe::Recipe>& recipes) {
  return std::ranges::all_of(recipes, [](const recipe::Recipe& recipe) {
    return !recipe.readable && std::ranges::all_of(recipe.diagnostics, is_no_mistake);
  });
}

void keep_document(int number, const std::string& path, std::vector<recipe::Recipe>& recipes) {
  const auto count = static_cast<int>(recipes.size());
  if (number > count) {
    throw MissingError(
        fmt::format("{}: there is no document {}, the file has {}", path, number, count));
  }
  recipe::Recipe kept = std::move(recipes[static_cast<std::size_t>(number - 1)]);
  recipes.clear();
  recipes.push_back(std::move(kept));
}

/// Words alone say by their form whose they are.
recipe::Framework framework_of_words(const std::vector<std::string>& words) {
  const bool flags = !words.empty() && words.front().starts_with('-');
  return flags ? recipe::Framework::mlm : recipe::Framework::bridge;
}

void add_once(const std::string& source, std::vector<std::string>& sources) {
  if (!source.empty() && std::ranges::find(sources, source) == sources.end()) {
    sources.push_back(source);
  }
}

std::string component_text(std::string_view name, const recipe::Stack::Component& component) {
  if (component.absent) {
    return fmt::format("no {}", name);
  }
  return component.version ? fmt::format("{} {}", name, component.version->text())
                           : fmt::format("{} (some version)", name);
}

std::string hardware_text(const model::Target& target) {
  if (target.hw == nullptr) {
    return target.gpus ? fmt::format("{} GPUs", *target.gpus) : "";
  }
  return target.gpus ? fmt::format("{} x {}", target.hw->name, *target.gpus) : target.hw->name;
}

}  // namespace

std::shared_ptr<const text::SourceFile> base_file(const std::string& path,
                                                  const world::Files& files) {
  return path.empty() ? nullptr
                      : std::make_shared<const text::SourceFile>(
                            path, files.read(path, yaml::Limits{}.bytes));
}

DocumentChoice parse_document(const Setting& setting) {
  if (setting.value == "all" || setting.value == "merge") {
    return {setting.value == "merge", 0};
  }
  int number = 0;
  const char* end = setting.value.data() + setting.value.size();
  const auto result = std::from_chars(setting.value.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end || number < 1) {
    throw UsageError(fmt::format(
        "{} takes a number from 1, all or merge, not `{}`", setting.source, setting.value));
  }
  return {false, number};
}

LintOutcome Linter::run(const LintTask& task) {
  LintOutcome outcome;
  try {
    return lint(task);
  } catch (const UsageError& error) {
    outcome.usage = error.what();
  } catch (const MissingError& error) {
    outcome.unreadable = error.what();
  } catch (const std::exception& error) {
    outcome.internal = fmt::format("{}: {}", task.path, error.what());
  }
  return outcome;
}

LintOutcome Linter::lint(const LintTask& task) {
  const std::shared_ptr<const text::SourceFile> file = read(task);
  std::vector<const TargetSettings*> sources = task.stronger;
  const TargetSettings header = file == nullptr ? TargetSettings{} : read_header(*file);
  sources.push_back(&header);
  sources.insert(sources.end(), task.weaker.begin(), task.weaker.end());
  const ResolvedTarget resolved = resolve_target(sources, knowledge_, machine_);
  Sheet sheet{task, resolved, request_of(task, file, resolved), {}};
  for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
    sheet.inputs.insert(sheet.inputs.end(), (*source)->inputs.begin(), (*source)->inputs.end());
  }
  if (file != nullptr && (task.fix || task.shows_fixes)) {
    sheet.request.stream = std::make_shared<const yaml::Stream>(yaml::parse(*file));
  }
  LintOutcome outcome = lint(sheet);
  if (outcome.skipped) {
    return outcome;
  }
  if (task.fix) {
    fix(sheet, outcome);
  } else if (task.shows_fixes) {
    prove(sheet, outcome);
  }
  return outcome;
}

LintOutcome Linter::lint(const Sheet& sheet) {
  const LintTask& task = sheet.task;
  LintOutcome outcome;
  std::vector<recipe::Recipe> recipes =
      recipe::load(sheet.request, [&](recipe::Framework found) -> const recipe::Vocabulary& {
        return vocabulary_of(sheet, found, {});
      });
  outcome.skipped = !task.named && is_no_recipe(recipes);
  if (outcome.skipped) {
    return outcome;
  }
  if (documents_.number > 0) {
    keep_document(documents_.number, task.path, recipes);
  }
  const model::Target& on = sheet.resolved.target;
  waive::Waivers waivers;
  for (recipe::Recipe& loaded : recipes) {
    const auto recipe = std::make_shared<const recipe::Recipe>(std::move(loaded));
    const recipe::Vocabulary& vocabulary =
        vocabulary_of(sheet, recipe->framework, recipe->model_class);
    const model::Target target = model::with_launcher(on, *recipe);
    lint::Result result = lint::lint(*recipe, vocabulary, target, knowledge_, task.selection);
    if (task.pricing != nullptr && recipe->readable) {
      price(sheet, outcome.files.size(), target, result, outcome);
    }
    if (task.ignores) {
      waivers.accept(*recipe, {knowledge_, target, task.today}, result);
    }
    std::string described = describe(target, recipe->framework);
    outcome.files.push_back({recipe->path, recipe, std::move(result), std::move(described)});
  }
  std::vector<std::pair<const recipe::Recipe*, lint::Result*>> results;
  for (report::LintedFile& file : outcome.files) {
    results.emplace_back(file.recipe.get(), &file.result);
  }
  waivers.report(task.selection, knowledge_, results);
  return outcome;
}

void Linter::price(const Sheet& sheet,
                   std::size_t document,
                   const model::Target& target,
                   lint::Result& result,
                   LintOutcome& outcome) {
  const repair::Bench bench = bench_of(sheet, place_of(document), target);
  outcome.unpriced = sheet.task.pricing->add(bench, sheet.inputs, result);
}

std::shared_ptr<const text::SourceFile> Linter::read(const LintTask& task) const {
  if (task.words_only) {
    return nullptr;
  }
  if (task.path.ends_with(".py")) {
    throw MissingError(
        fmt::format("{}: a Python recipe holds no YAML; dump it to a YAML file first (README, "
                    "\"Python recipes\")",
                    task.path));
  }
  return std::make_shared<const text::SourceFile>(
      task.path, task.standard ? *task.standard : files_.read(task.path, yaml::Limits{}.bytes));
}

recipe::Request Linter::request_of(const LintTask& task,
                                   std::shared_ptr<const text::SourceFile> file,
                                   const ResolvedTarget& resolved) const {
  recipe::Request request;
  request.framework = resolved.framework;
  if (task.words_only && !request.framework) {
    request.framework = framework_of_words(words_);
  }
  request.file = std::move(file);
  request.base = base_file(resolved.base, files_);
  request.words = words_;
  request.environment = resolved.target.environment;
  Neighbours neighbours = cli::neighbours(files_, task.path);
  request.open = std::move(neighbours.open);
  request.slip = std::move(neighbours.slip);
  if (documents_.merge) {
    request.documents = recipe::Request::Documents::merge;
  }
  return request;
}

const recipe::Vocabulary& Linter::vocabulary_of(const Sheet& sheet,
                                                recipe::Framework framework,
                                                std::string_view model_class) {
  const std::string version = framework_version(sheet.resolved.target.stack, framework);
  return vocabularies_.get(framework, version, model_class);
}

std::string describe(const model::Target& target, recipe::Framework framework) {
  std::vector<std::string> parts;
  std::vector<std::string> sources;
  if (const std::string hardware = hardware_text(target); !hardware.empty()) {
    parts.push_back(hardware);
  }
  add_once(target.hw_source, sources);
  add_once(target.gpus_source, sources);
  for (const auto& [name, component] : target.stack.components()) {
    add_once(component.source, sources);
    if (name != recipe::to_string(framework)) {
      parts.push_back(component_text(name, component));
    }
  }
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (!sources.empty()) {
    text += fmt::format("{}({})", text.empty() ? "" : " ", fmt::join(sources, ", "));
  }
  return text;
}

}  // namespace epwise::cli
