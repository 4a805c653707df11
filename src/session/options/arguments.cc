#include "session/options/arguments.h"

#include <utility>

namespace epwise::session {

std::optional<Setting> Arguments::one(std::string_view option) const {
  const auto found = settings_.find(option);
  if (found == settings_.end()) {
    return std::nullopt;
  }
  return found->second.back();
}

std::string Arguments::text_of(std::string_view option, std::string_view otherwise) const {
  const auto setting = one(option);
  return setting ? setting->value : std::string(otherwise);
}

std::vector<Setting> Arguments::all(std::string_view option) const {
  const auto found = settings_.find(option);
  return found == settings_.end() ? std::vector<Setting>{} : found->second;
}

void Arguments::add(std::string_view option, Setting setting) {
  settings_[std::string(option)].push_back(std::move(setting));
}

}  // namespace epwise::session
