#include "advise/run_profile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <utility>

#include "advise/run_steps.h"

namespace epwise::advise {

namespace {

constexpr double kNanoseconds = 1e-9;

using Span = std::pair<std::int64_t, std::int64_t>;

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(
      lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Time covered by spans that are sorted by their start.
std::int64_t covered(const std::vector<Span>& spans) {
  std::int64_t total = 0;
  std::int64_t until = spans.empty() ? 0 : spans.front().first;
  for (const Span& span : spans) {
    total += std::max<std::int64_t>(0, span.second - std::max(span.first, until));
    until = std::max(until, span.second);
  }
  return total;
}

/// What happens between two moments.
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
      const std::string lower = lowered(name);
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

  /// Seconds of one exchange by a library's kernels, with what prepares it.
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

  /// NCCL's kernels that send and receive, by stream.
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
  /// All-to-all of probabilities goes before that of tokens and is over in no time.
  static SendStream send_stream(std::int32_t stream, std::vector<double> times, int steps) {
    constexpr double kShort = 0.2;  // of what three of four kernels take at most
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
  constexpr std::size_t kMostSteps = 1000;  // that are looked at
  RunFigures figures;
  if (profile.kernels.empty()) {
    figures.problem = "it holds no kernels: record with `nsys profile --trace=cuda,nvtx`";
    return figures;
  }
  if (profile.hidden_graphs) {
    figures.problem =
        "it holds whole CUDA graphs, not their kernels: record with --cuda-graph-trace=node";
    return figures;
  }
  RunSteps steps = steps_of(profile);
  if (steps.bounds.size() < 2) {
    figures.problem =
        "no steps are found in it: neither NVTX ranges named `iteration` or `step`, nor kernels "
        "that repeat at one distance; record three steps or more";
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
    figures.problem = "its steps take no time";
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

}  // namespace epwise::advise
