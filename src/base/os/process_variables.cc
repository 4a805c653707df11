#include "base/os/process_variables.h"

#include <cstdlib>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace epwise::os {

std::optional<std::string> ProcessVariables::get(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> ProcessVariables::names(std::string_view start) const {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with(start)) {
      names.emplace_back(text.substr(0, text.find('=')));
    }
  }
  return names;
}

}  // namespace epwise::os
