#include "lint/renaming.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/abridgement.h"
#include "base/text/spelling.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::lint {

namespace {

using Names = std::vector<std::string_view>;

constexpr std::size_t kLongest = 100;  // more misspellings are unlikely
constexpr std::size_t kShortest = 12;  // shorter names are prefixes of too many others

/// The only candidate that is similar to a name or starts with it.
std::optional<std::string> meant_name(std::string_view name,
                                      const Names& candidates,
                                      std::size_t shortest = kShortest) {
  constexpr int kMost = 2;
  if (name.size() > kLongest) {
    return std::nullopt;
  }
  if (name.size() >= shortest) {
    if (const auto longer = text::continued(name, candidates); !longer.empty()) {
      return std::string(longer);
    }
  }
  const auto near = text::nearest(name, candidates, 2);
  const auto far = [&](const std::string& each) { return text::edit_distance(name, each); };
  if (near.empty() || far(near.front()) > kMost ||
      (near.size() > 1 && far(near[0]) == far(near[1]))) {
    return std::nullopt;
  }
  return near.front();
}

/// The effect of a dropped key once it applies: on a job's speed, its outputs, or its training.
Tier renaming_tier(std::string_view path) {
  const auto in = [section = path.substr(0, path.find('.'))](const auto& sections) {
    return std::ranges::find(sections, section) != sections.end();
  };
  constexpr std::array<std::string_view, 6> kBeside{
      "logger", "profiling", "straggler", "nvrx_straggler", "ft", "tensor_inspect"};
  constexpr std::array<std::string_view, 4> kSpeed{"ddp", "comm_overlap", "dist", "env_vars"};
  return in(kBeside) ? Tier::neutral : in(kSpeed) ? Tier::performance : Tier::training;
}

/// A key to be renamed.
struct Name {
  std::string written;  // as written
  std::string path;     // of a key of the recipe; the flag itself
  std::string meant;    // canonical
  std::string right;    // the correct name
  text::Mark key;
};

/// Whether the correct name is already there, where the wrong one stands: what a base recipe below
/// an override says, the override may replace.
bool is_taken(const text::Mark& right, const text::Mark& wrong) {
  return right.file == wrong.file || right.nowhere();
}

std::optional<Name> misspelt_key(const text::Diagnostic& diagnostic,
                                 const recipe::Recipe& recipe,
                                 const recipe::Vocabulary& vocabulary) {
  const recipe::Field* wrong = nullptr;
  for (const auto& [path, field] : recipe.fields) {
    wrong = field.key == diagnostic.mark && !vocabulary.knows(path) ? &field : wrong;
  }
  for (const recipe::Field& field : recipe.dropped) {
    wrong = field.key == diagnostic.mark ? &field : wrong;
  }
  if (wrong == nullptr) {
    return std::nullopt;
  }
  const std::string& path = wrong->name;
  Names siblings;
  for (const auto& spec : vocabulary.fields()) {
    if (recipe::parent_of(spec.name) == recipe::parent_of(path)) {
      siblings.push_back(spec.name);
    }
  }
  const bool elsewhere =
      !vocabulary.history(path).empty() || !vocabulary.classes_with(path).empty();
  const auto name = elsewhere ? std::nullopt : meant_name(path, siblings);
  const recipe::Field* present = name ? recipe.find(*name) : nullptr;
  if (!name || (present != nullptr && is_taken(present->key, wrong->key))) {
    return std::nullopt;
  }
  return Name{wrong->spelling, path, *name, std::string(recipe::last_part(*name)), wrong->key};
}

std::optional<Name> misspelt_section(const text::Diagnostic& diagnostic,
                                     const recipe::Recipe& recipe,
                                     const recipe::Vocabulary& vocabulary) {
  constexpr std::size_t kShortestSection = 3;  // there are few, with distinct prefixes
  for (const auto& [section, key] : recipe.sections) {
    if (key != diagnostic.mark || vocabulary.has_section(section)) {
      continue;
    }
    Names known;
    for (const auto& spec : vocabulary.fields()) {
      if (recipe::parent_of(spec.name).empty()) {
        known.push_back(spec.name);
      }
    }
    const auto name = meant_name(section, known, kShortestSection);
    const auto present = name ? recipe.sections.find(*name) : recipe.sections.end();
    if (!name || (present != recipe.sections.end() && is_taken(present->second, key))) {
      return std::nullopt;
    }
    return Name{section, section, *name, *name, key};
  }
  return std::nullopt;
}

std::optional<Name> misspelt_flag(const text::Diagnostic& diagnostic,
                                  const recipe::Recipe& recipe,
                                  const recipe::Vocabulary& vocabulary) {
  auto written = diagnostic.mark.file->bytes().substr(diagnostic.mark.begin,
                                                      diagnostic.mark.end - diagnostic.mark.begin);
  const auto first = written.find("--");
  written.remove_prefix(std::min(first, written.size()));
  written = written.substr(0, written.find_first_of("=\"': "));
  if (written.size() < 3 || !vocabulary.history(written).empty()) {
    return std::nullopt;
  }
  Names spellings;
  for (const auto& flag : vocabulary.flags()) {
    spellings.insert(spellings.end(), flag.spellings.begin(), flag.spellings.end());
  }
  const auto name = meant_name(written, spellings);
  const auto* flag = name ? vocabulary.flag(*name) : nullptr;
  const auto* spec = flag == nullptr ? nullptr : vocabulary.find_attribute(flag->attribute);
  if (spec == nullptr || recipe.find(spec->name) != nullptr) {
    return std::nullopt;
  }
  return Name{
      std::string(written), std::string(written), std::string(spec->name), *name, diagnostic.mark};
}

std::optional<Name> misspelt(const text::Diagnostic& diagnostic,
                             const recipe::Recipe& recipe,
                             const recipe::Vocabulary& vocabulary) {
  if (diagnostic.mark.nowhere()) {
    return std::nullopt;
  }
  if (diagnostic.rule == "flags/unrecognized") {
    return misspelt_flag(diagnostic, recipe, vocabulary);
  }
  if (diagnostic.rule != "recipe/unknown-key" && diagnostic.rule != "recipe/refused-key") {
    return std::nullopt;
  }
  auto key = misspelt_key(diagnostic, recipe, vocabulary);
  return key ? key : misspelt_section(diagnostic, recipe, vocabulary);
}

/// A key that stopped the launch, or whose value is the default, changes no run.
Tier renaming_tier(const Name& name,
                   const text::Diagnostic& diagnostic,
                   const facts::Facts& facts) {
  const auto* spec = facts.vocabulary().find(name.meant);
  const auto field = facts.recipe().fields.find(name.path);
  const bool same = spec != nullptr && field != facts.recipe().fields.end() &&
                    spec->default_value == field->second.value;
  return diagnostic.rule != "recipe/unknown-key" || same ? Tier::neutral
                                                         : renaming_tier(name.meant);
}

/// The class of a section if only one is possible; "" if there are several. Bridge derives some of
/// Megatron-LM's under their own names.
std::string_view plain_class(std::string_view section, const recipe::Vocabulary& vocabulary) {
  const auto classes = vocabulary.classes_of(section);
  const auto same = [&](std::string_view name) {
    return recipe::last_part(name) == recipe::last_part(classes.front());
  };
  if (classes.empty() || !std::ranges::all_of(classes, same)) {
    return {};
  }
  const auto own = std::ranges::find_if(
      classes, [](std::string_view name) { return name.starts_with("megatron.bridge."); });
  return own == classes.end() ? classes.front() : *own;
}

std::optional<Fix> with_class(const text::Diagnostic& diagnostic, const facts::Facts& facts) {
  for (const auto& [section, key] : facts.recipe().sections) {
    const auto plain =
        key == diagnostic.mark ? plain_class(section, facts.vocabulary()) : std::string_view();
    if (plain.empty()) {
      continue;
    }
    const std::string field = section + "._target_";
    Fix fix{"Name the section's class", Tier::neutral, {}};
    fix.edits.push_back({field, std::string(plain), {}, field, expr::Value::of(plain)});
    return fix;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Misspelling> misspellings(const recipe::Recipe& recipe,
                                      const recipe::Vocabulary& vocabulary) {
  constexpr std::size_t kMost = 40;  // enough for people, bounded for a file full of wrong keys
  constexpr std::size_t kMostTried = 1000;
  std::vector<Misspelling> found;
  std::size_t tried = 0;
  for (const auto& diagnostic : recipe.diagnostics) {
    if (found.size() == kMost || ++tried > kMostTried) {
      break;
    }
    if (auto name = misspelt(diagnostic, recipe, vocabulary)) {
      found.push_back({&diagnostic, std::move(name->meant), std::move(name->written)});
    }
  }
  return found;
}

std::vector<Fix> renamings(const text::Diagnostic& diagnostic, const facts::Facts& facts) {
  std::optional<Fix> fix;
  if (auto name = misspelt(diagnostic, facts.recipe(), facts.vocabulary())) {
    fix = Fix{"Correct the name", renaming_tier(*name, diagnostic, facts), {}};
    fix->edits.push_back(
        {std::move(name->written), std::move(name->right), name->key, std::move(name->path)});
    fix->edits.back().remove = true;
  } else if (diagnostic.rule == "recipe/section-target" && !diagnostic.mark.nowhere()) {
    fix = with_class(diagnostic, facts);
  }
  return fix ? std::vector<Fix>{std::move(*fix)} : std::vector<Fix>{};
}

}  // namespace epwise::lint
