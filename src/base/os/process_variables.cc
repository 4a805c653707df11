#include "base/os/process_variables.h"

#include <cstdlib>

namespace epwise::os {

std::optional<std::string> ProcessVariables::get(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace epwise::os
