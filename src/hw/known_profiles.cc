#include <algorithm>

#include "base/embedded/embedded.h"
#include "base/text/ascii.h"
#include "hw/profile.h"

namespace epwise::hw {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char left, char right) {
    return text::lower_letter(left) == text::lower_letter(right);
  });
}

std::vector<Profile> read_embedded() {
  std::vector<Profile> all;
  for (const embedded::EmbeddedFile& embedded : embedded::hardware_profiles()) {
    all.push_back(unpack_profile(embedded.bytes));
  }
  std::sort(
      all.begin(), all.end(), [](const Profile& a, const Profile& b) { return a.name < b.name; });
  return all;
}

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) {
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return pattern == name;
}

}  // namespace

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = read_embedded();
  return all;
}

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : profiles()) {
    const auto same = [&](const std::string& alias) { return same_name(alias, name); };
    if (same(profile.name) || std::any_of(profile.aliases.begin(), profile.aliases.end(), same)) {
      return &profile;
    }
  }
  return nullptr;
}

const Profile* find_profile_of_device(std::string_view driver_name) {
  for (const Profile& profile : profiles()) {
    const auto fits = [&](const std::string& pattern) { return matches(pattern, driver_name); };
    const bool exact = !profile.device_name.empty() && profile.device_name == driver_name;
    if (exact || std::any_of(profile.driver_names.begin(), profile.driver_names.end(), fits)) {
      return &profile;
    }
  }
  return nullptr;
}

}  // namespace epwise::hw
