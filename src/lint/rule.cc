#include "lint/rule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "base/units/version.h"
#include "recipe/framework.h"

namespace epwise::lint {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

std::string_view to_string(Confidence confidence) {
  switch (confidence) {
    case Confidence::heuristic:
      return "heuristic";
    case Confidence::likely:
      return "likely";
    case Confidence::proven:
      break;
  }
  return "proven";
}

std::string_view to_string(Effect effect) {
  constexpr std::array<std::string_view, 7> kNames = {
      "refuse", "crash", "hang", "wrong", "memory", "slow", "style"};
  return kNames.at(static_cast<std::size_t>(effect));
}

std::string_view to_string(Moment moment) {
  constexpr std::array<std::string_view, 9> kNames = {"start",
                                                      "graph capture",
                                                      "first step",
                                                      "first log",
                                                      "evaluation",
                                                      "checkpoint",
                                                      "resume",
                                                      "later",
                                                      "whole run"};
  return kNames.at(static_cast<std::size_t>(moment));
}

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::neutral:
      return "neutral";
    case Tier::performance:
      return "performance";
    case Tier::training:
      break;
  }
  return "training";
}

namespace {

/// The numbers of a release without any suffix, such as 0.18.2, and what is above all of them for
/// head; nullopt for anything else. Bounds are compared for every rule of every lint, and nearly all
/// of them are plain.
std::optional<std::array<int, 3>> plain_release(std::string_view text) {
  if (text == "head") {
    return std::array{std::numeric_limits<int>::max(), 0, 0};
  }
  std::array<int, 3> numbers{};
  std::size_t at = 0;
  for (int& number : numbers) {
    constexpr std::size_t kDigits = 4;
    const std::size_t begin = at;
    while (at < text.size() && at - begin < kDigits && text[at] >= '0' && text[at] <= '9') {
      number = 10 * number + (text[at++] - '0');
    }
    if (at == begin) {
      return std::nullopt;
    }
    if (at == text.size()) {
      return numbers;
    }
    if (text[at++] != '.') {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool at_least(std::string_view version, std::string_view bound) {
  const auto plain = plain_release(version);
  const auto plain_bound = plain_release(bound);
  if (plain && plain_bound) {
    return *plain >= *plain_bound;
  }
  const auto a = units::Version::parse(version);
  const auto b = units::Version::parse(bound);
  return a && b && *a >= *b;
}

bool is_version(std::string_view text) {
  return text.empty() || units::Version::parse(text).has_value();
}

}  // namespace

bool holds(const std::vector<Range>& ranges, std::string_view framework, std::string_view version) {
  if (ranges.empty()) {
    return true;
  }
  return std::ranges::any_of(ranges, [&](const Range& range) {
    return range.framework == framework &&
           (range.since.empty() || at_least(version, range.since)) &&
           (range.until.empty() || at_least(range.until, version));
  });
}

std::optional<Range> parse_range(std::string_view framework, std::string_view text) {
  if (text == "all") {
    return Range{framework, {}, {}};
  }
  const auto dots = text.find("..");
  const auto since = text.substr(0, dots);
  const auto until = dots == std::string_view::npos ? text : text.substr(dots + 2);
  if (text.empty() || !is_version(since) || !is_version(until) ||
      (since.empty() && until.empty())) {
    return std::nullopt;
  }
  return Range{framework, since, until};
}

std::string to_text(const std::vector<Range>& ranges) {
  if (ranges.empty()) {
    return "all versions of both frameworks";
  }
  std::string all;
  for (const auto& range : ranges) {
    const auto framework = recipe::parse_framework(range.framework);
    std::string one(framework ? recipe::title(*framework) : range.framework);
    if (range.since == range.until && !range.since.empty()) {
      one += " " + std::string(range.since);
    } else if (range.until.empty()) {
      one += range.since.empty() ? " (all versions)" : " from " + std::string(range.since);
    } else {
      one += (range.since.empty() ? "" : " " + std::string(range.since)) + " to " +
             std::string(range.until);
    }
    all += (all.empty() ? "" : ", ") + one;
  }
  return all;
}

}  // namespace epwise::lint
