#include "calibrate/merge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text/count.h"
#include "calibrate/fits/fits.h"
#include "calibrate/sampling/statistics.h"

namespace epwise::calibrate {

namespace {

std::string branch(const std::string& version) {
  return version.substr(0, version.find('.'));
}

std::string version_of(const Calibration& calibration, const std::string& name) {
  const auto found = calibration.environment.software.find(name);
  return found == calibration.environment.software.end() ? "" : found->second;
}

std::string conflict(const Calibration& a, const Calibration& b) {
  const Device& one = a.environment.device;
  const Device& other = b.environment.device;
  if (a.hw != b.hw || (one.sms > 0 && other.sms > 0 && one.sms != other.sms)) {
    return fmt::format("they are from different devices: {} with {} SMs, {} with {}",
                       a.hw.empty() ? one.name : a.hw,
                       one.sms,
                       b.hw.empty() ? other.name : b.hw,
                       other.sms);
  }
  if (a.hw.empty() && one.name != other.name) {
    return fmt::format("they are from different devices: {} and {}", one.name, other.name);
  }
  if ((a.backend == "replay") != (b.backend == "replay")) {
    return "one of them contains generated times (--backend replay)";
  }
  const std::string first = branch(version_of(a, "driver"));
  const std::string second = branch(version_of(b, "driver"));
  if (!first.empty() && !second.empty() && first != second) {
    return fmt::format("their drivers are from different branches: {} and {}", first, second);
  }
  if (a.subject.format != b.subject.format && a.subject.shape.tokens > 0 &&
      b.subject.shape.tokens > 0) {
    return fmt::format("their recipes have different formats: {} and {}",
                       format_word(a.subject.format),
                       format_word(b.subject.format));
  }
  if (a.subject.reduced != b.subject.reduced) {
    return "one of them has reduced sizes";
  }
  return {};
}

void compare_text(std::string_view what,
                  const std::string& before,
                  const std::string& after,
                  std::vector<std::string>& settings) {
  if (before != after) {
    settings.push_back(fmt::format("{}: {} → {}",
                                   what,
                                   before.empty() ? "unknown" : before,
                                   after.empty() ? "unknown" : after));
  }
}

void compare_settings(const Calibration& before,
                      const Calibration& after,
                      std::vector<std::string>& settings) {
  compare_text("device", before.environment.device.name, after.environment.device.name, settings);
  compare_text("backend", before.backend, after.backend, settings);
  compare_text("mode", before.mode, after.mode, settings);
  compare_text("ranks", std::to_string(before.ranks), std::to_string(after.ranks), settings);
  std::map<std::string, std::string> names = before.environment.software;
  names.insert(after.environment.software.begin(), after.environment.software.end());
  for (const auto& [name, version] : names) {
    compare_text(name, version_of(before, name), version_of(after, name), settings);
  }
}

bool is_apart(const Timing& a, const Timing& b) {
  return a.high < b.low || b.high < a.low;
}

/// Of files from the same plan: that plan; of others: what is there, and what either lacks.
std::int64_t planned_by_both(const Calibration& base,
                             const Calibration& more,
                             const Calibration& merged) {
  if (base.planned == 0 && more.planned == 0) {
    return 0;
  }
  if (base.planned == more.planned && base.mode == more.mode && base.ranks == more.ranks &&
      base.domain == more.domain && base.subject.shape == more.subject.shape) {
    return base.planned;
  }
  return merged.reached() + base.unreached() + more.unreached();
}

/// "the run did not finish: …"
std::string unfinished_text(const Calibration& calibration) {
  return fmt::format("the run did not finish: it came to {} of {} points; {}",
                     calibration.reached(),
                     calibration.planned,
                     calibration.backend == "merged"
                         ? "finish it with its own command, and merge again"
                         : "the same `epwise calibrate` command measures the others");
}

/// "noisy: 14 points (memory.hbm_read.b268435456, …, … and 11 more)"
std::string flagged_text(const std::string& flag, const std::vector<std::string>& points) {
  constexpr std::size_t kNamed = 3;
  std::string text = fmt::format("{}: {} (", flag, text::counted(points.size(), "point"));
  for (std::size_t i = 0; i < std::min(points.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + points[i];
  }
  return points.size() <= kNamed ? text + ")"
                                 : fmt::format("{} and {} more)", text, points.size() - kNamed);
}

}  // namespace

std::optional<Calibration> merge(const Calibration& base,
                                 const Calibration& more,
                                 std::string& problem) {
  problem = conflict(base, more);
  if (!problem.empty()) {
    return std::nullopt;
  }
  Calibration merged = base;
  for (const Point& point : more.points) {
    const auto known =
        std::find_if(merged.points.begin(), merged.points.end(), [&point](const Point& other) {
          return other.request.id == point.request.id;
        });
    if (known == merged.points.end()) {
      merged.points.push_back(point);
    } else if (!known->has_time()) {
      *known = point;
    }
  }
  const bool newer = more.created > base.created;
  for (const StepConstant& constant : more.constants) {
    const auto known = std::find_if(
        merged.constants.begin(), merged.constants.end(), [&constant](const StepConstant& other) {
          return other.name == constant.name;
        });
    if (known == merged.constants.end()) {
      merged.constants.push_back(constant);
    } else if (newer) {
      *known = constant;
    }
  }
  merged.runs.insert(merged.runs.end(), more.runs.begin(), more.runs.end());
  for (const auto& [name, version] : more.environment.software) {
    merged.environment.software.emplace(name, version);
  }
  merged.ranks = std::max(base.ranks, more.ranks);
  merged.domain = std::max(base.domain, more.domain);
  merged.created = std::max(base.created, more.created);
  merged.backend = base.backend == more.backend ? base.backend : "merged";
  merged.planned = planned_by_both(base, more, merged);
  merged.fits = fit_all(merged);
  return merged;
}

Difference difference(const Calibration& before, const Calibration& after) {
  Difference result;
  compare_settings(before, after, result.settings);
  std::vector<double> ratios;
  for (const Point& point : before.points) {
    const Point* const other = after.point(point.request.id);
    PointChange change;
    change.id = point.request.id;
    change.before = point.has_time() ? point.time.median : 0;
    change.after = other != nullptr && other->has_time() ? other->time.median : 0;
    const bool both = change.before > 0 && change.after > 0;
    if (both) {
      ratios.push_back(change.after / change.before);
    }
    change.notable = both ? is_apart(point.time, other->time) : change.before != change.after;
    result.points.push_back(change);
  }
  for (const Point& point : after.points) {
    if (before.point(point.request.id) == nullptr) {
      result.points.push_back(
          {point.request.id, 0, point.has_time() ? point.time.median : 0, true});
    }
  }
  if (!ratios.empty()) {
    result.median_ratio = timing_of(ratios).median;
  }
  return result;
}

std::vector<std::string> weaknesses(const Calibration& calibration) {
  std::vector<std::string> found;
  if (calibration.unreached() > 0) {
    found.push_back(unfinished_text(calibration));
  }
  found.insert(found.end(), calibration.warnings.begin(), calibration.warnings.end());
  std::map<std::string, int> missing;
  std::map<std::string, std::vector<std::string>> flagged;
  for (const Point& point : calibration.points) {
    if (!point.has_time()) {
      ++missing[point.reason];
    }
    for (const std::string& flag : point.flags) {
      if (flag != "power_capped") {
        flagged[flag].push_back(point.request.id);
      }
    }
  }
  for (const auto& [flag, points] : flagged) {
    found.push_back(flagged_text(flag, points));
  }
  for (const auto& [reason, count] : missing) {
    found.push_back(fmt::format("{} {} not measured: {}",
                                text::counted(count, "point"),
                                count == 1 ? "was" : "were",
                                reason));
  }
  for (const Fit& fit : calibration.fits) {
    for (const std::string& flag : fit.flags) {
      found.push_back(
          fmt::format("law {}: {}, rms {:.1f} %", fit.id, flag, 100 * fit.residual.rms));
    }
  }
  return found;
}

std::vector<std::string> staleness(const Calibration& calibration,
                                   const std::string& hw,
                                   const std::vector<hw::Component>& stack,
                                   int gpus) {
  std::vector<std::string> notes;
  if (!hw.empty() && calibration.hw != hw) {
    notes.push_back(
        fmt::format("it was measured on {}, not on {}",
                    calibration.hw.empty() ? calibration.environment.device.name : calibration.hw,
                    hw));
  }
  for (const hw::Component& component : stack) {
    const std::string then = version_of(calibration, component.name);
    const bool known = !then.empty() && !component.version.empty() &&
                       component.version != "installed" && component.version != "none";
    if (known && then != component.version) {
      notes.push_back(
          fmt::format("{} was {} then and is {} now", component.name, then, component.version));
    }
  }
  if (gpus > 0 && calibration.ranks > 1 && calibration.ranks != gpus) {
    notes.push_back(
        fmt::format("it was measured on {} GPUs, the job has {}", calibration.ranks, gpus));
  }
  return notes;
}

}  // namespace epwise::calibrate
