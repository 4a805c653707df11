#include "lint/renaming.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text/spelling.h"

namespace epwise::lint {

namespace {

using Names = std::vector<std::string_view>;

constexpr std::size_t kLongest = 100;  // nobody misspells more
constexpr std::size_t kShortest = 12;  // what is shorter begins too many names by chance

std::string_view parent_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

/// The only candidate that a name nearly is, or that goes on where the name ends.
std::optional<std::string> meant(std::string_view name, const Names& candidates) {
  constexpr int kMost = 2;
  if (name.size() > kLongest) {
    return std::nullopt;
  }
  const auto continues = [&](std::string_view each) { return each.starts_with(name); };
  if (name.size() >= kShortest && std::ranges::count_if(candidates, continues) == 1) {
    return std::string(*std::ranges::find_if(candidates, continues));
  }
  const auto near = text::nearest(name, candidates, 2);
  const auto far = [&](const std::string& each) { return text::edit_distance(name, each); };
  if (near.empty() || far(near.front()) > kMost ||
      (near.size() > 1 && far(near[0]) == far(near[1]))) {
    return std::nullopt;
  }
  return near.front();
}

/// What a dropped key changes when it counts: how fast a job is, what it writes, or what it learns.
Tier tier_of(std::string_view path) {
  const auto in = [section = path.substr(0, path.find('.'))](const auto& sections) {
    return std::ranges::find(sections, section) != sections.end();
  };
  constexpr std::array<std::string_view, 6> kBeside{
      "logger", "profiling", "straggler", "nvrx_straggler", "ft", "tensor_inspect"};
  constexpr std::array<std::string_view, 3> kSpeed{"ddp", "comm_overlap", "dist"};
  return in(kBeside) ? Tier::neutral : in(kSpeed) ? Tier::performance : Tier::training;
}

Fix rename(std::string field, std::string name, std::string value, const text::Mark& key) {
  Fix fix{"Correct the name", Tier::neutral, {}};
  fix.edits.push_back({std::move(field), std::move(value), key, std::move(name)});
  fix.edits.back().remove = true;
  return fix;
}

std::optional<Fix> renamed_key(const text::Diagnostic& diagnostic, const model::Facts& facts) {
  const auto& vocabulary = facts.vocabulary();
  for (const auto& [path, field] : facts.recipe().fields) {
    if (field.key != diagnostic.mark || vocabulary.knows(path)) {
      continue;
    }
    Names siblings;
    for (const auto& spec : vocabulary.fields()) {
      if (parent_of(spec.name) == parent_of(path)) {
        siblings.push_back(spec.name);
      }
    }
    const bool elsewhere =
        !vocabulary.history(path).empty() || !vocabulary.classes_with(path).empty();
    const auto name = elsewhere ? std::nullopt : meant(path, siblings);
    if (!name || facts.recipe().find(*name) != nullptr) {
      return std::nullopt;
    }
    Fix fix = rename(field.spelling, path, std::string(last_part(*name)), field.key);
    const bool refused = diagnostic.rule == "recipe/refused-key";
    const bool same = vocabulary.find(*name)->default_value == field.value;
    fix.tier = refused || same ? Tier::neutral : tier_of(path);
    return fix;
  }
  return std::nullopt;
}

std::optional<Fix> renamed_section(const text::Diagnostic& diagnostic, const model::Facts& facts) {
  const auto& vocabulary = facts.vocabulary();
  for (const auto& [section, key] : facts.recipe().sections) {
    if (key != diagnostic.mark || vocabulary.has_section(section)) {
      continue;
    }
    Names known;
    for (const auto& spec : vocabulary.fields()) {
      if (parent_of(spec.name).empty()) {
        known.push_back(spec.name);
      }
    }
    const auto name = meant(section, known);
    if (!name || facts.recipe().sections.contains(*name)) {
      return std::nullopt;
    }
    Fix fix = rename(section, section, *name, key);
    fix.tier = tier_of(*name);
    return fix;
  }
  return std::nullopt;
}

std::optional<Fix> renamed_flag(const text::Diagnostic& diagnostic, const model::Facts& facts) {
  auto written = diagnostic.mark.file->bytes().substr(diagnostic.mark.begin,
                                                      diagnostic.mark.end - diagnostic.mark.begin);
  const auto first = written.find("--");
  written.remove_prefix(std::min(first, written.size()));
  written = written.substr(0, written.find_first_of("=\"': "));
  if (written.size() < 3 || !facts.vocabulary().history(written).empty()) {
    return std::nullopt;
  }
  Names spellings;
  for (const auto& flag : facts.vocabulary().flags()) {
    spellings.insert(spellings.end(), flag.spellings.begin(), flag.spellings.end());
  }
  const auto name = meant(written, spellings);
  const auto* flag = name ? facts.vocabulary().flag(*name) : nullptr;
  const auto* spec = flag == nullptr ? nullptr : facts.vocabulary().find_attribute(flag->attribute);
  if (spec == nullptr || facts.recipe().find(spec->name) != nullptr) {
    return std::nullopt;
  }
  return rename(std::string(written), std::string(written), *name, diagnostic.mark);
}

/// The class of a section that can have no other one; "" where several may stand there. Bridge
/// derives some of Megatron-LM's under their own names.
std::string_view plain_class(std::string_view section, const recipe::Vocabulary& vocabulary) {
  const auto classes = vocabulary.classes_of(section);
  const auto same = [&](std::string_view name) {
    return last_part(name) == last_part(classes.front());
  };
  if (classes.empty() || !std::ranges::all_of(classes, same)) {
    return {};
  }
  const auto own = std::ranges::find_if(
      classes, [](std::string_view name) { return name.starts_with("megatron.bridge."); });
  return own == classes.end() ? classes.front() : *own;
}

std::optional<Fix> with_class(const text::Diagnostic& diagnostic, const model::Facts& facts) {
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

std::vector<Fix> renamings(const text::Diagnostic& diagnostic, const model::Facts& facts) {
  std::optional<Fix> fix;
  if (diagnostic.mark.nowhere()) {
    return {};
  }
  if (diagnostic.rule == "recipe/unknown-key" || diagnostic.rule == "recipe/refused-key") {
    fix = renamed_key(diagnostic, facts);
    fix = fix ? fix : renamed_section(diagnostic, facts);
  } else if (diagnostic.rule == "flags/unrecognized") {
    fix = renamed_flag(diagnostic, facts);
  } else if (diagnostic.rule == "recipe/section-target") {
    fix = with_class(diagnostic, facts);
  }
  return fix ? std::vector<Fix>{std::move(*fix)} : std::vector<Fix>{};
}

}  // namespace epwise::lint
