#include "hw/profile.h"

namespace epwise::hw {

const Sourced* Profile::number(std::string_view key) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? nullptr : &found->second;
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::measured:
      return "measured";
    case Status::datasheet:
      return "datasheet";
    case Status::derived:
      return "derived";
    case Status::assumed:
      return "assumed";
  }
  return "";
}

}  // namespace epwise::hw
