#include "base/os/process_variables.h"

#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

namespace epwise::os {

std::optional<std::string> ProcessVariables::get(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// From /proc, because the variable `environ` cannot be reached from the Python module, which is linked
// of objects of a program.
std::vector<std::string> ProcessVariables::names(std::string_view start) const {
  std::vector<std::string> names;
  std::ifstream in("/proc/self/environ", std::ios::binary);
  for (std::string entry; std::getline(in, entry, '\0');) {
    if (entry.starts_with(start)) {
      names.push_back(entry.substr(0, entry.find('=')));
    }
  }
  return names;
}

}  // namespace epwise::os
