#include "recipe/recipe.h"

#include <algorithm>
#include <array>

#include "base/text/ascii.h"
#include "recipe/trainers/trainer_facts.h"

namespace epwise::recipe {

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::written:
      return "written";
    case Origin::override_word:
      return "override";
    case Origin::environment:
      return "environment";
    case Origin::framework_default:
      break;
  }
  return "default";
}

const Field* Recipe::find(std::string_view canonical) const {
  if (const auto found = fields.find(canonical); found != fields.end()) {
    return &found->second;
  }
  if (settings == nullptr || !canonical.starts_with(kTrainerGroup)) {
    return nullptr;
  }
  const auto found = settings->find(canonical);
  return found == settings->end() ? nullptr : &found->second;
}

namespace {

bool is_of_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string Recipe::variable_instead_of(std::string_view need) const {
  constexpr std::string_view kCut = "…";
  constexpr std::array<std::string_view, 2> kDefaults = {":-", "-"};
  if (need.ends_with(kCut)) {
    need.remove_suffix(kCut.size());
    need = need.substr(0, need.find_last_not_of(' ') + 1);
  }
  std::string text(files.empty() ? std::string_view() : files.front()->bytes());
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = text.find(need); at != std::string::npos; at = text.find(need, at + 1)) {
    std::string_view before = std::string_view(text).substr(0, at);
    before.remove_suffix(before.ends_with('"') ? 1 : 0);
    for (const std::string_view form : kDefaults) {
      const bool stands = before.ends_with(form);
      const std::string_view name = before.substr(0, before.size() - (stands ? form.size() : 0));
      std::size_t begin = name.size();
      while (begin > 0 && is_of_name(name[begin - 1])) {
        --begin;
      }
      if (stands && begin < name.size() && name.substr(0, begin).ends_with("${")) {
        return std::string(name.substr(begin));
      }
    }
  }
  return {};
}

std::string Recipe::path_of(std::string_view canonical) const {
  if (has_trainer(*this)) {
    std::string place = trainer_path(*this, canonical);
    return place.empty() ? std::string(canonical) : place;
  }
  constexpr std::string_view kModel = "model.";
  constexpr std::string_view kNested = "model.transformer";
  if (!canonical.starts_with(kModel) || find(kNested) == nullptr) {
    return std::string(canonical);
  }
  if (const auto* field = find(canonical)) {
    const bool nested = field->spelling.find(kNested) != std::string::npos;
    if (!nested || canonical == kNested) {
      return std::string(canonical);
    }
  }
  return std::string(kNested) + "." + std::string(canonical.substr(kModel.size()));
}

bool Recipe::has_unknown_class(std::string_view section) const {
  const auto found = raw.find("raw.unknown_classes");
  const auto* unknown = found == raw.end() ? nullptr : found->second.list();
  return unknown != nullptr && std::ranges::any_of(*unknown, [&](const expr::Value& each) {
           return each.text() != nullptr && *each.text() == section;
         });
}

namespace {

constexpr std::string_view kUnreadWords = "raw.unread_words";

}  // namespace

const std::vector<std::string>* Recipe::unread_words() const {
  const auto found = raw.find(kUnreadWords);
  const auto* unknown = found == raw.end() ? nullptr : found->second.unknown();
  return unknown == nullptr ? nullptr : &unknown->needs;
}

void Recipe::note_unread_words(const std::vector<std::string>& needs) {
  if (!needs.empty()) {
    raw.insert_or_assign(std::string(kUnreadWords), expr::Value::unknown(needs));
  }
}

std::string_view template_expression(std::string_view text) {
  constexpr std::string_view kOpens = "{{";
  constexpr std::string_view kCloses = "}}";
  for (std::size_t at = text.find(kOpens); at != std::string_view::npos;
       at = text.find(kOpens, at + 1)) {
    const std::string_view rest = text.substr(at);
    const std::size_t end = rest.find(kCloses);
    const std::string_view first = rest.substr(kOpens.size(), 1);
    const bool begins =
        !first.empty() && (text::is_letter(first[0]) ||
                           std::string_view(" -.$").find(first[0]) != std::string_view::npos);
    if (begins && end < rest.find('\n')) {
      return rest.substr(0, end + kCloses.size());
    }
  }
  return {};
}

}  // namespace epwise::recipe
