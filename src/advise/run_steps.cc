#include "advise/run_steps.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace epwise::advise {

namespace {

/// What stands before numbers and marks: "iteration 12" → "iteration".
std::string base_of(std::string_view text) {
  std::string base(text);
  std::ranges::transform(
      base, base.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t last = base.find_last_not_of(" 0123456789#:=_-/[]()");
  base.erase(last == std::string::npos ? 0 : last + 1);
  std::ranges::replace(base, ' ', '_');
  return base;
}

RunSteps steps_of_ranges(const RunProfile& profile) {
  std::map<std::string, std::vector<const RunProfile::Range*>> named;
  for (const RunProfile::Range& range : profile.ranges) {
    named[base_of(range.text)].push_back(&range);
  }
  RunSteps steps;
  std::int64_t longest = 0;
  for (const auto& [base, ranges] : named) {
    const std::int64_t length = ranges.front()->end - ranges.front()->start;
    if (length <= longest) {  // of nested ones the outer
      continue;
    }
    longest = length;
    steps.found_by = fmt::format("NVTX ranges `{}`", base);
    steps.bounds.clear();
    for (const RunProfile::Range* range : ranges) {
      steps.bounds.push_back(range->start);
    }
    steps.bounds.push_back(ranges.back()->end);
  }
  return steps;
}

/// Starts of the bursts in which a kernel comes; empty where they are not regular.
std::vector<std::int64_t> regular_bursts(const std::vector<std::int64_t>& starts) {
  constexpr double kSplit = 0.5;     // of the largest gap
  constexpr double kRegular = 1.15;  // largest distance over the smallest
  constexpr std::size_t kFewest = 3;
  std::int64_t largest = 0;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    largest = std::max(largest, starts[i] - starts[i - 1]);
  }
  std::vector<std::int64_t> bursts;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const bool begins = i == 0 || static_cast<double>(starts[i] - starts[i - 1]) >
                                      kSplit * static_cast<double>(largest);
    if (begins) {
      bursts.push_back(starts[i]);
    }
  }
  if (bursts.size() < kFewest) {
    return {};
  }
  std::int64_t least = bursts[1] - bursts[0];
  std::int64_t most = least;
  for (std::size_t i = 2; i < bursts.size(); ++i) {
    least = std::min(least, bursts[i] - bursts[i - 1]);
    most = std::max(most, bursts[i] - bursts[i - 1]);
  }
  const bool regular = static_cast<double>(most) <= kRegular * static_cast<double>(least);
  return regular ? bursts : std::vector<std::int64_t>{};
}

/// Whether whatever takes time comes in most of these windows: layers are regular too, but no layer
/// holds an optimizer.
bool holds_all(const std::vector<std::int64_t>& bounds, const RunProfile& profile) {
  constexpr double kWorthwhile = 0.003;  // of all kernel time
  std::vector<double> time(profile.names.size(), 0);
  std::vector<std::size_t> windows(profile.names.size(), 0);
  std::vector<std::size_t> last(profile.names.size(), 0);
  double whole = 0;
  std::size_t window = 0;  // 0: before the first bound
  for (const RunProfile::Kernel& kernel : profile.kernels) {
    while (window < bounds.size() && kernel.start >= bounds[window]) {
      ++window;
    }
    const auto name = static_cast<std::size_t>(kernel.name);
    const auto length = static_cast<double>(kernel.end - kernel.start);
    time[name] += length;
    whole += length;
    if (window > 0 && window < bounds.size() && last[name] != window) {
      ++windows[name];
      last[name] = window;
    }
  }
  for (std::size_t i = 0; i < time.size(); ++i) {
    const bool counts = time[i] > kWorthwhile * whole;
    if (counts && 2 * windows[i] < bounds.size() - 1) {
      return false;
    }
  }
  return true;
}

/// The names that take most time, in their order. Each costs a look at every kernel, and a file may
/// give each kernel a name of its own.
std::vector<std::size_t> weighty_names(const RunProfile& profile) {
  constexpr std::size_t kMost = 256;
  std::vector<std::size_t> names(profile.names.size());
  std::iota(names.begin(), names.end(), std::size_t{0});
  if (names.size() <= kMost) {
    return names;
  }
  std::vector<double> time(names.size(), 0);
  for (const RunProfile::Kernel& kernel : profile.kernels) {
    time[static_cast<std::size_t>(kernel.name)] += static_cast<double>(kernel.end - kernel.start);
  }
  std::ranges::stable_sort(names,
                           [&time](std::size_t a, std::size_t b) { return time[a] > time[b]; });
  names.resize(kMost);
  std::ranges::sort(names);
  return names;
}

/// The period that most kernel names agree on; of equals the longest.
RunSteps steps_of_kernels(const RunProfile& profile) {
  constexpr double kSame = 0.03;
  std::vector<std::vector<std::int64_t>> starts(profile.names.size());
  for (const RunProfile::Kernel& kernel : profile.kernels) {
    starts[static_cast<std::size_t>(kernel.name)].push_back(kernel.start);
  }
  std::vector<std::pair<double, std::vector<std::int64_t>>> candidates;
  for (const std::size_t name : weighty_names(profile)) {
    std::vector<std::int64_t> bursts = regular_bursts(starts[name]);
    if (!bursts.empty() && holds_all(bursts, profile)) {
      const auto whole = static_cast<double>(bursts.back() - bursts.front());
      candidates.emplace_back(whole / static_cast<double>(bursts.size() - 1), std::move(bursts));
    }
  }
  RunSteps steps;
  std::ptrdiff_t best = 0;
  double period = 0;
  for (const auto& candidate : candidates) {
    const double length = candidate.first;
    const auto votes = std::ranges::count_if(candidates, [&](const auto& other) {
      return std::abs(other.first - length) <= kSame * length;
    });
    if (votes > best || (votes == best && length > period)) {
      best = votes;
      period = length;
      steps.bounds = candidate.second;
      steps.found_by = "repeating kernels";
    }
  }
  return steps;
}

}  // namespace

bool names_step(std::string_view text) {
  static constexpr std::array<std::string_view, 11> kSteps{"iteration",
                                                           "iter",
                                                           "step",
                                                           "train",
                                                           "train_step",
                                                           "training_step",
                                                           "train_iteration",
                                                           "train_iter",
                                                           "global_step",
                                                           "training_iteration",
                                                           "profilerstep"};
  return std::ranges::find(kSteps, base_of(text)) != kSteps.end();
}

RunSteps steps_of(const RunProfile& profile) {
  RunSteps steps = steps_of_ranges(profile);
  return steps.bounds.empty() ? steps_of_kernels(profile) : steps;
}

}  // namespace epwise::advise
