#include "base/text/abridgement.h"

#include <algorithm>
#include <cstddef>

namespace epwise::text {

namespace {

/// "bf16_with-fp8" → "bf16", "with", "fp8".
std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = name.find_first_of("_-");
    parts.push_back(name.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    name.remove_prefix(end + 1);
  }
}

/// Whether all parts occur among others, in order.
bool holds(const std::vector<std::string_view>& all, const std::vector<std::string_view>& parts) {
  auto next = parts.begin();
  for (const std::string_view part : all) {
    if (next != parts.end() && part == *next) {
      ++next;
    }
  }
  return next == parts.end();
}

template <typename Fits>
std::string_view only(const std::vector<std::string_view>& candidates, const Fits& fits) {
  std::string_view found;
  for (const std::string_view candidate : candidates) {
    if (candidate == found || !fits(candidate)) {
      continue;
    }
    if (!found.empty()) {
      return {};
    }
    found = candidate;
  }
  return found;
}

}  // namespace

std::string_view continued(std::string_view name, const std::vector<std::string_view>& candidates) {
  return only(candidates,
              [name](std::string_view candidate) { return candidate.starts_with(name); });
}

std::string_view completed(std::string_view name, const std::vector<std::string_view>& candidates) {
  const auto parts = parts_of(name);
  return only(candidates, [&parts](std::string_view candidate) {
    const auto all = parts_of(candidate);
    return parts.size() > 1 && all.size() > parts.size() && holds(all, parts);
  });
}

}  // namespace epwise::text
