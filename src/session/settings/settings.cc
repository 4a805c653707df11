#include "session/settings/settings.h"

#include <string_view>

namespace epwise::session {

std::vector<Setting> split_list(const Setting& list) {
  std::vector<Setting> parts;
  std::string_view rest = list.value;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    if (!part.empty()) {
      parts.push_back({std::string(part), list.source});
    }
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return parts;
}

}  // namespace epwise::session
