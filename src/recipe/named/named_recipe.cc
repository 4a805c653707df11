#include "recipe/named/named_recipe.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/embedded/archive.h"
#include "base/embedded/embedded.h"
#include "base/text/ascii.h"

namespace epwise::recipe {

namespace {

/// Where the harness takes the smaller of two recipes, if there is none for the number of GPUs:
/// _DEFAULT_GPU_COUNT_OVERRIDES in Megatron-Bridge's scripts/performance/utils/utils.py (0.6.0).
struct DefaultCount {
  std::string_view model;
  std::string_view gpu;
  std::string_view precisions;  // joined by blanks
  std::uint32_t gpus;
};

constexpr std::array<DefaultCount, 10> kDefaultCounts = {{
    {"llama3_8b", "b200", "bf16 fp8cs", 8},
    {"llama3_8b", "gb200", "bf16 fp8cs", 8},
    {"llama3_8b", "gb300", "bf16 fp8cs fp8mx nvfp4", 8},
    {"llama3_8b", "h100", "bf16 fp8cs", 8},
    {"nemotronh_56b", "b200", "fp8cs", 64},
    {"nemotronh_56b", "gb300", "fp8cs", 64},
    {"qwen3_30b_a3b", "b200", "bf16 fp8cs", 8},
    {"qwen3_30b_a3b", "gb200", "bf16 fp8cs", 8},
    {"qwen3_30b_a3b", "gb300", "bf16 fp8cs", 8},
    {"qwen3_30b_a3b", "h100", "bf16 fp8cs", 16},
}};

/// "fp8_mx" → "fp8mx"
std::string without_dashes(std::string_view precision) {
  std::string text = text::lower(precision);
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return text;
}

/// The recipes of the harness before 0.6: QWEN3_30B_A3B_PRETRAIN_CONFIG_H100_BF16_V1.
const NamedRecipe* workload(const RecipeBook& book,
                            std::string_view release,
                            const HarnessSelection& selection) {
  const std::string stem = text::lower(fmt::format(
      "{}_{}_config_{}_{}", selection.model, selection.task, selection.gpu, selection.precision));
  const std::string variant = text::lower(selection.variant);
  std::vector<std::string> endings = {"_" + variant};
  if (variant.empty() || variant == "v2") {
    endings = {"_v2", "_v1"};
  }
  endings.emplace_back();
  for (const std::string& ending : endings) {
    if (const NamedRecipe* recipe = book.find(release, stem + ending)) {
      return recipe;
    }
  }
  return nullptr;
}

std::uint32_t default_count(const HarnessSelection& selection, std::string_view precision) {
  for (const DefaultCount& row : kDefaultCounts) {
    if (row.model == selection.model && row.gpu == selection.gpu && selection.task == "pretrain" &&
        row.precisions.find(precision) != std::string_view::npos) {
      return row.gpus;
    }
  }
  return 0;
}

/// "…_16gpu_…" → the text between the stem and the ending, if it is such a number.
bool is_gpu_count(std::string_view middle) {
  return !middle.empty() &&
         std::all_of(middle.begin(), middle.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    parts.emplace_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return parts;
}

/// "fp8mx" → "fp8_mx"
std::string option_of_precision(const std::string& part) {
  return part.starts_with("fp8") && part.size() > 3 ? "fp8_" + part.substr(3) : part;
}

}  // namespace

const RecipeBook& RecipeBook::embedded() {
  static const RecipeBook book(embedded::compiled_recipes());
  return book;
}

RecipeBook::RecipeBook(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  tables_ = embedded::read_as<RecipeTables>(bytes);
}

const NamedRelease* RecipeBook::table_of(std::string_view release) const {
  for (const NamedRelease& each : tables_.releases) {
    if (each.version == release) {
      return &each;
    }
  }
  return nullptr;
}

std::vector<std::string_view> RecipeBook::releases() const {
  std::vector<std::string_view> versions;
  for (const NamedRelease& release : tables_.releases) {
    versions.push_back(release.version);
  }
  return versions;
}

std::vector<std::string_view> RecipeBook::names(std::string_view release) const {
  std::vector<std::string_view> names;
  if (const NamedRelease* found = table_of(release)) {
    for (const NamedRecipe& recipe : found->recipes) {
      names.push_back(recipe.name);
    }
  }
  return names;
}

const NamedRecipe* RecipeBook::find(std::string_view release, std::string_view name) const {
  const NamedRelease* found = table_of(release);
  if (found == nullptr) {
    return nullptr;
  }
  const auto at = std::lower_bound(
      found->recipes.begin(),
      found->recipes.end(),
      name,
      [](const NamedRecipe& recipe, std::string_view wanted) { return recipe.name < wanted; });
  return at != found->recipes.end() && at->name == name ? &*at : nullptr;
}

std::map<std::string_view, std::string_view> RecipeBook::lines(const NamedSection& section) const {
  std::map<std::string_view, std::string_view> lines;
  if (section.like != 0) {
    lines = this->lines(tables_.sections[section.like - 1U]);
  }
  for (const std::string_view key : section.without) {
    lines.erase(key);
  }
  for (const std::uint16_t number : section.lines) {
    const std::string_view line = tables_.lines[number];
    lines.insert_or_assign(line.substr(0, line.find(':')), line);
  }
  return lines;
}

std::string RecipeBook::text(const NamedRecipe& recipe) const {
  constexpr std::string_view kDeeper = "transformer.";
  std::string text = "_target_: megatron.bridge.training.config.ConfigContainer\n";
  for (const std::uint16_t number : recipe.sections) {
    const NamedSection& section = tables_.sections[number];
    const std::string_view blank = section.scalar.empty() ? "" : " ";
    text += fmt::format("{}:{}{}\n", section.name, blank, section.scalar);
    bool deeper = false;
    for (const auto& line : lines(section)) {
      const bool below = line.first.starts_with(kDeeper);
      if (below && !deeper) {
        text += "  transformer:\n";
      }
      deeper = below;
      text += fmt::format("{}{}\n",
                          below ? "    " : "  ",
                          below ? line.second.substr(kDeeper.size()) : line.second);
    }
  }
  return text;
}

std::shared_ptr<const text::SourceFile> RecipeBook::file(std::string_view release,
                                                         std::string_view name) const {
  const NamedRecipe* recipe = find(release, name);
  return recipe == nullptr ? nullptr
                           : std::make_shared<const text::SourceFile>(
                                 fmt::format("{}@{}", name, release), text(*recipe));
}

RecipeName parse_recipe_name(std::string_view text) {
  const std::size_t at = text.rfind('@');
  RecipeName result;
  if (at != std::string_view::npos) {
    result.release = text.substr(at + 1);
    text = text.substr(0, at);
  }
  const bool dotted = text.find('/') == std::string_view::npos && !text.ends_with(".yaml");
  const std::size_t path = dotted ? text.find_last_of(".:") : text.rfind('/');
  result.name = path == std::string_view::npos ? text : text.substr(path + 1);
  return result;
}

bool is_recipe_file(std::string_view name) {
  const RecipeName parsed = parse_recipe_name(name);
  return !parsed.release.empty() && parsed.name.size() + parsed.release.size() + 1 == name.size() &&
         RecipeBook::embedded().find(parsed.release, parsed.name) != nullptr;
}

const NamedRecipe* harness_recipe(const RecipeBook& book,
                                  std::string_view release,
                                  const HarnessSelection& selection) {
  if (const NamedRecipe* recipe = workload(book, release, selection)) {
    return recipe;
  }
  const std::string variant = text::lower(selection.variant);
  const std::string precision = without_dashes(selection.precision);
  const std::string stem = fmt::format("{}_{}_", selection.model, selection.task);
  const std::string ending =
      fmt::format("gpu_{}_{}{}_config",
                  selection.gpu,
                  precision,
                  variant.empty() || variant == "v1" || variant == "v2" ? "" : "_" + variant);
  if (selection.gpus) {
    if (const NamedRecipe* recipe =
            book.find(release, fmt::format("{}{}{}", stem, *selection.gpus, ending))) {
      return recipe;
    }
  }
  const std::uint32_t usual = variant.empty() || variant == "v1" || variant == "v2"
                                  ? default_count(selection, precision)
                                  : 0;
  const NamedRecipe* best = nullptr;
  for (const std::string_view name : book.names(release)) {
    if (!name.starts_with(stem) || !name.ends_with(ending) ||
        name.size() <= stem.size() + ending.size() ||
        !is_gpu_count(name.substr(stem.size(), name.size() - stem.size() - ending.size()))) {
      continue;
    }
    const NamedRecipe* recipe = book.find(release, name);
    if (recipe->gpus == usual) {
      return recipe;
    }
    best = best == nullptr || recipe->gpus > best->gpus ? recipe : best;
  }
  return best;
}

std::optional<HarnessSelection> selection_of(std::string_view name) {
  const std::vector<std::string> parts = parts_of(name);
  constexpr std::array<std::string_view, 3> kTasks = {"pretrain", "sft", "peft"};
  const auto task = std::find_if(parts.begin(), parts.end(), [&](const std::string& part) {
    return text::is_one_of(part, kTasks);
  });
  if (task == parts.begin() || parts.end() - task < 5) {
    return std::nullopt;
  }
  HarnessSelection selection;
  selection.model = fmt::format("{}", fmt::join(parts.begin(), task, "_"));
  selection.task = *task;
  const std::string& count = *(task + 1);
  selection.gpu = *(task + 2);
  auto rest = task + 3;
  auto end = parts.end();
  if (count == "config") {
    selection.precision = *rest++;
    if (selection.precision == "fp8" && rest != end) {
      selection.precision += "_" + *rest++;
    }
  } else if (count.ends_with("gpu") && is_gpu_count(count.substr(0, count.size() - 3)) &&
             parts.back() == "config") {
    selection.gpus = std::stoll(count);
    selection.precision = option_of_precision(*rest++);
    --end;
  } else {
    return std::nullopt;
  }
  if (rest < end) {
    selection.variant = fmt::format("{}", fmt::join(rest, end, "_"));
  }
  return selection;
}

const NamedRecipe* counterpart(const RecipeBook& book,
                               std::string_view release,
                               std::string_view name) {
  if (const NamedRecipe* recipe = book.find(release, name)) {
    return recipe;
  }
  const std::optional<HarnessSelection> selection = selection_of(name);
  return selection ? harness_recipe(book, release, *selection) : nullptr;
}

}  // namespace epwise::recipe
