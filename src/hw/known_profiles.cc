#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

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

/// Profiles in files of the user's. An edited file adds another one, so that pointers stay valid.
struct OwnProfiles {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, Profile> kept;  // by path and text
  std::map<std::string, const Profile*, std::less<>> latest;    // by path
};

OwnProfiles& own_profiles() {
  static OwnProfiles own;
  return own;
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

bool is_profile_file(std::string_view text) {
  return text.ends_with(".yaml") || text.ends_with(".yml");
}

const Profile* add_profile(const text::SourceFile& file, std::vector<text::Diagnostic>& problems) {
  const std::lock_guard lock(own_profiles().mutex);
  auto& kept = own_profiles().kept;
  const auto key = std::pair(file.name(), std::string(file.bytes()));
  auto found = kept.find(key);
  if (found == kept.end()) {
    std::optional<Profile> profile = read_profile(file, problems);
    if (!profile) {
      return nullptr;
    }
    found = kept.emplace(key, std::move(*profile)).first;
  }
  own_profiles().latest.insert_or_assign(file.name(), &found->second);
  return &found->second;
}

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : profiles()) {
    const auto same = [&](const std::string& alias) { return same_name(alias, name); };
    if (same(profile.name) || std::any_of(profile.aliases.begin(), profile.aliases.end(), same)) {
      return &profile;
    }
  }
  const std::lock_guard lock(own_profiles().mutex);
  const auto own = own_profiles().latest.find(name);
  return own == own_profiles().latest.end() ? nullptr : own->second;
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
