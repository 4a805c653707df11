#include "calibrate/run.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "calibrate/fits/fits.h"

namespace epwise::calibrate {

namespace {

bool is_finished(const Calibration& calibration, const Request& request) {
  const Point* const point = calibration.point(request.id);
  return point != nullptr && point->has_time();
}

/// Replaces an earlier point of the same name.
void put(Calibration& calibration, const Point& point) {
  for (Point& known : calibration.points) {
    if (known.request.id == point.request.id) {
      known = point;
      return;
    }
  }
  calibration.points.push_back(point);
}

void warn_of_loss(const std::string& lost, Calibration& calibration) {
  const std::string warning = "the run ended early: " + lost;
  auto& warnings = calibration.warnings;
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
    warnings.push_back(warning);
  }
}

class Run {
 public:
  Run(Calibration start, Backend& backend, Ranks& ranks, const RunSettings& settings)
      : backend_(backend),
        ranks_(ranks),
        settings_(settings) {
    result_.calibration = std::move(start);
  }

  RunResult run(const std::vector<Sweep>& plan) {
    for (const Sweep& sweep : plan) {
      total_ += sweep.requests.size();
    }
    SamplerSettings sampling = settings_.sampler;
    sampling.on_point = [this](const Point& point) { take(point); };
    Sampler sampler(backend_, ranks_, std::move(sampling));
    try {
      for (const Sweep& sweep : plan) {
        measure(sampler, sweep);
      }
    } catch (const RankLost& lost) {
      result_.lost = lost.what();
    }
    if (sampler.is_fatal()) {
      result_.lost = sampler.fatal_reason();
    }
    if (!result_.lost.empty()) {
      warn_of_loss(result_.lost, result_.calibration);
    }
    result_.calibration.fits = fit_all(result_.calibration);
    keep();
    return std::move(result_);
  }

 private:
  void measure(Sampler& sampler, const Sweep& sweep) {
    Sweep open{sweep.name, {}};
    for (const Request& request : sweep.requests) {
      if (is_finished(result_.calibration, request)) {
        ++done_;
      } else {
        open.requests.push_back(request);
      }
    }
    sweep_ = sweep.name;
    tell();
    if (!open.requests.empty()) {
      sampler.measure(open);
    }
  }

  void take(const Point& point) {
    put(result_.calibration, point);
    ++done_;
    if (point.has_time()) {
      keep();
    }
    tell();
  }

  void keep() const {
    if (settings_.keep && ranks_.rank() == 0) {
      settings_.keep(result_.calibration);
    }
  }

  void tell() const {
    if (settings_.progress) {
      settings_.progress(done_, total_, sweep_);
    }
  }

  Backend& backend_;
  Ranks& ranks_;
  const RunSettings& settings_;
  RunResult result_;
  std::string sweep_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

std::string in_words(const Device& device) {
  return fmt::format("{} with {} SMs", device.name, device.sms);
}

}  // namespace

RunResult run_plan(const std::vector<Sweep>& plan,
                   Calibration start,
                   Backend& backend,
                   Ranks& ranks,
                   const RunSettings& settings) {
  return Run(std::move(start), backend, ranks, settings).run(plan);
}

std::string other_run(const Calibration& earlier, const Calibration& start) {
  const auto apart = [](std::string_view what, const auto& then, const auto& now) {
    return then == now ? std::string() : fmt::format("{} {}, not {}", what, then, now);
  };
  for (std::string difference :
       {apart("backend", earlier.backend, start.backend),
        apart("device", in_words(earlier.environment.device), in_words(start.environment.device)),
        apart("ranks", earlier.ranks, start.ranks),
        apart("mode", earlier.mode, start.mode),
        apart("seed", earlier.seed, start.seed)}) {
    if (!difference.empty()) {
      return difference;
    }
  }
  if (earlier.environment.software != start.environment.software) {
    return "different driver or library versions";
  }
  return earlier.subject.shape == start.subject.shape &&
                 earlier.subject.format == start.subject.format
             ? ""
             : "sizes of a different recipe";
}

std::int64_t planned_points(const std::vector<Sweep>& plan, const Calibration& start) {
  std::set<std::string_view> names;
  for (const Point& point : start.points) {
    if (point.status != PointStatus::imported) {
      names.insert(point.request.id);
    }
  }
  for (const Sweep& sweep : plan) {
    for (const Request& request : sweep.requests) {
      names.insert(request.id);
    }
  }
  return static_cast<std::int64_t>(names.size());
}

std::size_t resume(const Calibration& earlier, Calibration& start) {
  if (!other_run(earlier, start).empty()) {
    return 0;
  }
  std::size_t taken = 0;
  for (const Point& point : earlier.points) {
    if (point.has_time()) {
      start.points.push_back(point);
      ++taken;
    }
  }
  start.constants = earlier.constants;
  start.runs = earlier.runs;
  start.created = earlier.created;
  return taken;
}

}  // namespace epwise::calibrate
