#include "commands/diff/effect.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/embedded/embedded.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::diff {

namespace {

constexpr std::string_view kInvalid = "effects/invalid";
constexpr std::array kClasses = {std::pair(std::string_view("neutral"), Effect::neutral),
                                 std::pair(std::string_view("performance"), Effect::performance),
                                 std::pair(std::string_view("training"), Effect::training)};

/// A full name outweighs any family.
std::size_t weight_of(std::string_view pattern) {
  constexpr std::size_t kWhole = 1U << 20U;
  const auto stars = static_cast<std::size_t>(std::ranges::count(pattern, '*'));
  return pattern.size() - stars + (stars == 0 ? kWhole : 0);
}

}  // namespace

std::string_view to_string(Effect effect) {
  switch (effect) {
    case Effect::neutral:
      return "neutral";
    case Effect::performance:
      return "performance";
    case Effect::training:
      return "training-changing";
    case Effect::legality:
      break;
  }
  return "legality-changing";
}

bool fits(std::string_view pattern, std::string_view field) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) {
    return pattern == field;
  }
  if (!field.starts_with(pattern.substr(0, star))) {
    return false;
  }
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= field.size(); ++at) {
    if (fits(rest, field.substr(at))) {
      return true;
    }
  }
  return false;
}

EffectTable EffectTable::read(const text::SourceFile& file,
                              std::vector<text::Diagnostic>& problems) {
  EffectTable table;
  const yaml::Stream stream = yaml::parse(file);
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  if (stream.documents.size() != 1 || !stream.documents.front().root.is_mapping()) {
    problems.push_back({std::string(kInvalid), {&file, 0, 0}, "one mapping is expected"});
    return table;
  }
  yaml::MapReader classes(
      stream.documents.front().root, "the effects", problems, std::string(kInvalid));
  for (const auto& [name, effect] : kClasses) {
    const yaml::Node* list = classes.sequence(name);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      yaml::MapReader group(list->items[i], "a group", problems, std::string(kInvalid));
      const std::string about = group.required_text("what");
      for (std::string& pattern : group.texts("fields")) {
        table.lines_.push_back({std::move(pattern), effect, about});
      }
      group.finish();
    }
  }
  classes.finish();
  return table;
}

const EffectTable& EffectTable::embedded() {
  static const EffectTable embedded_table = [] {
    const text::SourceFile file("effects.yaml", std::string(embedded::effects()));
    std::vector<text::Diagnostic> problems;
    EffectTable table = read(file, problems);
    if (!problems.empty()) {
      throw std::logic_error("effects.yaml: " + problems.front().message);
    }
    return table;
  }();
  return embedded_table;
}

std::vector<const EffectTable::Line*> EffectTable::best_for(std::string_view field) const {
  const std::size_t first = field.find('.');
  const std::size_t last = field.rfind('.');
  if (first != last) {
    const std::string section(field.substr(0, first));
    const auto same = best_for(section + std::string(field.substr(last)));
    return same.empty() ? best_for(field.substr(0, last)) : same;
  }
  std::vector<const Line*> best;
  const std::string name(first == std::string_view::npos ? std::string(field) + '.'
                                                         : std::string(field));
  for (const Line& line : lines_) {
    if (!fits(line.pattern, name)) {
      continue;
    }
    const std::size_t had = best.empty() ? 0 : weight_of(best.front()->pattern);
    const std::size_t has = weight_of(line.pattern);
    if (has > had) {
      best.clear();
    }
    if (has >= had) {
      best.push_back(&line);
    }
  }
  return best;
}

Effect EffectTable::effect_of(std::string_view field) const {
  const auto best = best_for(field);
  return best.empty() ? Effect::training : best.front()->effect;
}

std::string_view EffectTable::about(std::string_view field) const {
  const auto best = best_for(field);
  return best.empty() ? std::string_view() : best.front()->about;
}

}  // namespace epwise::diff
