#include "advise/run_profile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"

namespace epwise::advise {

namespace {

constexpr double kNanoseconds = 1e-9;

using Span = std::pair<std::int64_t, std::int64_t>;

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Time covered by spans sorted by start.
std::int64_t covered(const std::vector<Span>& spans) {
  std::int64_t total = 0;
  std::int64_t until = spans.empty() ? 0 : spans.front().first;
  for (const Span& span : spans) {
    total += std::max<std::int64_t>(0, span.second - std::max(span.first, until));
    until = std::max(until, span.second);
  }
  return total;
}

/// Events between two timestamps.
struct Window {
  double step = 0;
  double exposed = 0;
  double products = 0;
  double idle = 0;
};

class Gauge {
 public:
  explicit Gauge(const RunProfile& profile) : profile_(profile) {
    for (const std::string& name : profile.names) {
      kinds_.push_back(kind_of(name));
      const std::string lower = text::lower(name);
      nccl_.push_back(lower.find("nccl") != std::string::npos &&
                      lower.find("nccl_ep") == std::string::npos);
    }
    for (const RunProfile::Kernel& kernel : profile.kernels) {
      longest_ = std::max(longest_, kernel.end - kernel.start);
    }
  }

  Window look(std::int64_t from, std::int64_t to) {
    std::vector<Span> all;
    std::vector<Span> work;
    std::vector<Span> products;
    auto at =
        std::ranges::lower_bound(profile_.kernels, from - longest_, {}, &RunProfile::Kernel::start);
    for (; at != profile_.kernels.end() && at->start < to; ++at) {
      const RunProfile::Kernel& kernel = *at;
      if (kernel.end <= from) {
        continue;
      }
      const Span span{std::max(kernel.start, from), std::min(kernel.end, to)};
      const KernelKind kind = kinds_[static_cast<std::size_t>(kernel.name)];
      all.push_back(span);
      if (kind == KernelKind::other || kind == KernelKind::product) {
        work.push_back(span);
      }
      if (kind == KernelKind::product) {
        products.push_back(span);
      }
    }
    const auto whole = static_cast<double>(to - from);
    const auto share = [&](std::int64_t part) { return static_cast<double>(part) / whole; };
    return {whole * kNanoseconds,
            share(covered(all) - covered(work)),
            share(covered(products)),
            1 - share(covered(all))};
  }

  /// Seconds of one exchange by a library's kernels, including preparation.
  double exchange(std::int64_t from, std::int64_t to) const {
    double seconds = 0;
    int count = 0;
    for (const RunProfile::Kernel& kernel : profile_.kernels) {
      const KernelKind kind = kinds_[static_cast<std::size_t>(kernel.name)];
      const bool counts = kind == KernelKind::exchange || kind == KernelKind::setup;
      if (counts && !is_nccl(kernel) && kernel.start >= from && kernel.start < to) {
        seconds += static_cast<double>(kernel.end - kernel.start) * kNanoseconds;
        count += kind == KernelKind::exchange ? 1 : 0;
      }
    }
    return count == 0 ? 0 : seconds / count;
  }

  /// NCCL send and receive kernels, per stream.
  std::vector<SendStream> sends(std::int64_t from, std::int64_t to, int steps) const {
    std::map<std::int32_t, std::vector<double>> streams;
    for (const RunProfile::Kernel& kernel : profile_.kernels) {
      const bool counts = kinds_[static_cast<std::size_t>(kernel.name)] == KernelKind::exchange;
      if (counts && is_nccl(kernel) && kernel.start >= from && kernel.start < to) {
        streams[kernel.stream].push_back(static_cast<double>(kernel.end - kernel.start) *
                                         kNanoseconds);
      }
    }
    std::vector<SendStream> sends;
    for (const auto& [stream, times] : streams) {
      sends.push_back(send_stream(stream, times, steps));
    }
    return sends;
  }

 private:
  /// The all-to-all of probabilities precedes that of tokens and is very short.
  static SendStream send_stream(std::int32_t stream, std::vector<double> times, int steps) {
    constexpr double kShort = 0.2;  // upper bound for three of four kernels
    std::ranges::sort(times);
    const double long_one = times[times.size() * 3 / 4];
    double seconds = 0;
    int count = 0;
    for (const double time : times) {
      seconds += time;
      count += time >= kShort * long_one ? 1 : 0;
    }
    return {stream, static_cast<double>(count) / steps, seconds / std::max(count, 1)};
  }

  bool is_nccl(const RunProfile::Kernel& kernel) const {
    return nccl_[static_cast<std::size_t>(kernel.name)];
  }

  const RunProfile& profile_;
  std::vector<KernelKind> kinds_;
  std::vector<bool> nccl_;
  std::int64_t longest_ = 0;  // kernel
};

}  // namespace

RunFigures figures_of(const RunProfile& profile) {
  constexpr std::size_t kTwoSteps = 3;      // bounds
  constexpr std::size_t kMostSteps = 1000;  // limit on names examined
  RunFigures figures;
  if (profile.kernels.empty()) {
    figures.problem = "it contains no kernels: record with `nsys profile --trace=cuda,nvtx`";
    return figures;
  }
  if (profile.hidden_graphs) {
    figures.problem =
        "it contains whole CUDA graphs instead of their kernels: record with "
        "--cuda-graph-trace=node";
    return figures;
  }
  RunSteps steps = steps_of(profile);
  if (steps.bounds.size() < 2) {
    figures.problem =
        "no steps found in it: neither NVTX ranges named `iteration` or `step` nor regularly "
        "repeating kernels; record at least three steps";
    return figures;
  }
  Gauge gauge(profile);
  const std::size_t first = steps.bounds.size() > kTwoSteps ? 1 : 0;
  steps.bounds.resize(std::min(steps.bounds.size(), kMostSteps + 2));
  std::vector<Window> windows;
  for (std::size_t i = first; i + 1 < steps.bounds.size(); ++i) {
    if (steps.bounds[i + 1] > steps.bounds[i]) {
      windows.push_back(gauge.look(steps.bounds[i], steps.bounds[i + 1]));
    }
  }
  if (windows.empty()) {
    figures.problem = "its steps have zero duration";
    return figures;
  }
  const auto middle = [&](double Window::*member) {
    std::vector<double> values;
    for (const Window& window : windows) {
      values.push_back(window.*member);
    }
    return median(std::move(values));
  };
  figures.steps = static_cast<int>(windows.size());
  figures.found_by = steps.found_by;
  figures.step = middle(&Window::step);
  figures.exposed = middle(&Window::exposed);
  figures.products = middle(&Window::products);
  figures.idle = middle(&Window::idle);
  const std::int64_t from = steps.bounds[first];
  figures.exchange = gauge.exchange(from, steps.bounds.back());
  if (figures.exchange <= 0) {
    figures.sends = gauge.sends(from, steps.bounds.back(), figures.steps);
  }
  return figures;
}

namespace {

/// The part before numbers and symbols: "iteration 12" → "iteration".
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

/// Starts of the bursts of a kernel; empty if they are irregular.
std::vector<std::int64_t> regular_bursts(const std::vector<std::int64_t>& starts) {
  constexpr double kSplit = 0.5;     // of the largest gap
  constexpr double kRegular = 1.15;  // largest interval divided by the smallest
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

/// Whether all kernels that take significant time occur in most of these windows: layers are
/// regular too, but do not contain an optimizer.
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

/// The names that take most time, in order. Each requires a pass over all kernels, and a file may
/// give each kernel a different name.
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

/// The period on which most kernel names agree; the longest of equals.
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

// Classifies kernels and streams by their names and frequencies.

namespace {

template <std::size_t N>
bool has_any(const std::string& text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

}  // namespace

KernelKind kind_of(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kLibraries{
      "deep_ep", "hybrid_ep", "hybridep", "nccl_ep"};
  static constexpr std::array<std::string_view, 2> kMoves{"dispatch", "combine"};
  static constexpr std::array<std::string_view, 6> kPrepares{
      "notify", "layout", "preprocess", "metadata", "scan", "barrier"};
  static constexpr std::array<std::string_view, 3> kTokens{"sendrecv", "alltoall", "all_to_all"};
  static constexpr std::array<std::string_view, 7> kProducts{
      "gemm", "nvjet", "cutlass", "xmma", "cublas", "wgmma", "matmul"};
  std::string lower(name);
  std::ranges::transform(
      lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (has_any(lower, kLibraries)) {
    const bool moves = has_any(lower, kMoves);
    return moves && !has_any(lower, kPrepares) ? KernelKind::exchange : KernelKind::setup;
  }
  if (lower.find("nccl") != std::string::npos) {
    return has_any(lower, kTokens) ? KernelKind::exchange : KernelKind::communication;
  }
  return has_any(lower, kProducts) ? KernelKind::product : KernelKind::other;
}

const SendStream* exchange_stream(const std::vector<SendStream>& sends, const Traffic& traffic) {
  constexpr double kAlike = 1.25;  // tolerance of counts: a profile may begin or end within a step
  if (sends.empty() || traffic.rings) {
    return nullptr;
  }
  if (traffic.transfers <= 0) {
    return &*std::ranges::max_element(sends, {}, &SendStream::per_step);
  }
  const SendStream* found = nullptr;
  for (const SendStream& each : sends) {
    const bool is_exchange = kAlike * each.per_step >= traffic.exchanges;
    const bool is_transfer = each.per_step <= kAlike * traffic.transfers;
    if (is_exchange == is_transfer || (is_exchange && found != nullptr)) {
      return nullptr;
    }
    found = is_exchange ? &each : found;
  }
  // A pipeline's transfers must be found elsewhere, or they are among these.
  return sends.size() > 1 ? found : nullptr;
}

}  // namespace epwise::advise
