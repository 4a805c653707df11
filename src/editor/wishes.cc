#include "editor/wishes.h"

#include <string>

#include <fmt/format.h>

#include "editor/json.h"
#include "world/files.h"

namespace epwise::editor {

namespace {

std::string text_of(const std::string& name, const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number() || value.is_boolean()) {
    return value.dump();
  }
  throw world::UsageError(
      fmt::format("the editor's setting `{}` is no text, number or switch", name));
}

void add(const std::string& name, const Json& value, Wishes& wishes) {
  if (value.is_null()) {
    return;
  }
  if (value.is_array()) {
    for (const Json& item : value) {
      wishes.emplace_back(name, text_of(name, item));
    }
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      // A name without value is unset on purpose.
      wishes.emplace_back(name, item.is_null() ? key : key + "=" + text_of(name, item));
    }
  } else {
    wishes.emplace_back(name, text_of(name, value));
  }
}

}  // namespace

Wishes wishes_in(const Json& settings) {
  Wishes wishes;
  if (settings.is_null()) {
    return wishes;
  }
  if (!settings.is_object()) {
    throw world::UsageError("the editor's settings are no mapping of names to values");
  }
  const auto own = settings.find("epwise");
  if (own != settings.end()) {
    return wishes_in(*own);
  }
  for (const auto& [name, value] : settings.items()) {
    add(name, value, wishes);
  }
  return wishes;
}

}  // namespace epwise::editor
