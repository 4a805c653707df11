#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "report/calibration/writer.h"
#include "report/columns.h"
#include "report/duration_text.h"
#include "report/style.h"

namespace epwise::report {

namespace {

using calibrate::Calibration;
using calibrate::Fit;
using calibrate::Point;
using calibrate::PointStatus;
using calibrate::Quantity;

constexpr int kMostWeaknesses = 12;

std::string percent(double share) {
  return share < 0.0995 ? fmt::format("{:.1f} %", 100 * share)
                        : fmt::format("{:.0f} %", 100 * share);
}

/// Times of constants are in seconds; ratios are near 1.
std::string value_text(const std::string& constant, double value) {
  const bool is_time = constant.starts_with("host_") || constant == "kernel_launch" ||
                       constant.ends_with("_latency") || constant == "step_fixed" ||
                       constant == "flex_preparation";
  return is_time && value < 1 ? seconds_text(value) : fmt::format("{:.3g}", value);
}

class Text {
 public:
  explicit Text(const Style& style) : style_(style), paint_(style.colour, style.hyperlinks) {}

  std::string run(const Calibration& calibration,
                  const std::vector<Quantity>& quantities,
                  std::string_view hw,
                  bool every_point) {
    head(calibration);
    tell_quantities(quantities, hw);
    tell_fits(calibration.fits);
    if (every_point) {
      tell_points(calibration.points);
    }
    tell_weaknesses(calibrate::weaknesses(calibration));
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += printable(text, style_.unicode) + '\n'; }

  void title(const std::string& text) {
    out_ += '\n' + paint_(Role::strong, printable(text, style_.unicode)) + '\n';
  }

  void head(const Calibration& calibration) {
    const std::string& device = calibration.environment.device.name;
    line(fmt::format(
        "{}{}, {}{}, {}",
        calibration.hw.empty() ? device : fmt::format("{} ({})", calibration.hw, device),
        calibration.ranks > 1 ? fmt::format(" × {}", calibration.ranks) : "",
        calibration.backend,
        calibration.mode.empty() ? "" : fmt::format(", {}", calibration.mode),
        calibration.created));
    int timed = 0;
    int imported = 0;
    for (const Point& point : calibration.points) {
      timed += point.status == PointStatus::measured ? 1 : 0;
      imported += point.status == PointStatus::imported ? 1 : 0;
    }
    const int missing = static_cast<int>(calibration.points.size()) - timed - imported;
    line(fmt::format("{} points measured, {} imported, {} not measured", timed, imported, missing));
  }

  void tell_quantities(const std::vector<Quantity>& quantities, std::string_view hw) {
    title(hw.empty() ? std::string("what the simulator takes from it")
                     : fmt::format("what the simulator takes from it for {}", hw));
    for (const Quantity& quantity : quantities) {
      if (quantity.measured) {
        line(fmt::format("  {:<18}{:<10}± {:<8}{}",
                         quantity.constant,
                         value_text(quantity.constant, quantity.value),
                         percent(quantity.log_sd),
                         quantity.points > 1
                             ? fmt::format("{}, {} points", quantity.basis, quantity.points)
                             : quantity.basis));
      } else {
        line(fmt::format("  {:<18}{:<20}{}", quantity.constant, "assumed", quantity.basis));
      }
    }
  }

  void tell_fits(const std::vector<Fit>& fits) {
    if (fits.empty()) {
      return;
    }
    title("laws");
    for (const Fit& fit : fits) {
      std::string values;
      for (std::size_t i = 0; i < fit.names.size() && fit.form != "sm_table"; ++i) {
        values += fmt::format("{}{} {:.4g}", i == 0 ? "" : ", ", fit.names[i], fit.values[i]);
      }
      std::string flags;
      for (const std::string& flag : fit.flags) {
        flags += ", " + flag;
      }
      line(fmt::format("  {:<42}{}", fit.id, values.empty() ? "table" : values));
      line(fmt::format("  {:<42}rms {}, at most {} ({}){}",
                       "",
                       percent(fit.residual.rms),
                       percent(fit.residual.largest),
                       fit.residual.worst,
                       flags));
    }
  }

  void tell_points(const std::vector<Point>& points) {
    title("points");
    for (const Point& point : points) {
      const std::string& id = point.request.id;
      if (!point.has_time()) {
        line(fmt::format("  {:<44}not measured: {}", id, point.reason));
        continue;
      }
      std::string flags;
      for (const std::string& flag : point.flags) {
        flags += " " + flag;
      }
      line(fmt::format("  {:<44}{:>9}  {} to {}, {} rounds, {} outliers{}",
                       id,
                       seconds_text(point.time.median),
                       seconds_text(point.time.low),
                       seconds_text(point.time.high),
                       point.time.rounds,
                       point.time.outliers,
                       flags));
      if (point.start_delay) {
        line(fmt::format("  {:<44}{:>9}  until it has its SMs, {} to {} in 8 of 10 rounds",
                         "",
                         seconds_text(point.start_delay->median),
                         seconds_text(point.start_delay->p10),
                         seconds_text(point.start_delay->p90)));
      }
    }
  }

  void tell_weaknesses(const std::vector<std::string>& found) {
    if (found.empty()) {
      return;
    }
    title("weak spots");
    const auto shown = std::min(found.size(), std::size_t{kMostWeaknesses});
    for (std::size_t i = 0; i < shown; ++i) {
      line("  " + found[i]);
    }
    if (shown < found.size()) {
      line(fmt::format("  and {} more (`epwise calibrate check`)", found.size() - shown));
    }
  }

  const Style& style_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string calibration_text(const Calibration& calibration,
                             const std::vector<Quantity>& quantities,
                             std::string_view hw,
                             bool every_point,
                             const Style& style) {
  return Text(style).run(calibration, quantities, hw, every_point);
}

std::string difference_text(const calibrate::Difference& difference,
                            bool every_point,
                            const Style& style) {
  std::string out;
  for (const std::string& setting : difference.settings) {
    out += printable(setting, style.unicode) + '\n';
  }
  int notable = 0;
  for (const calibrate::PointChange& change : difference.points) {
    notable += change.notable ? 1 : 0;
    if (!change.notable && !every_point) {
      continue;
    }
    const bool both = change.before > 0 && change.after > 0;
    const auto shown = [](double seconds) {
      return seconds > 0 ? seconds_text(seconds) : std::string("none");
    };
    out += printable(fmt::format(
                         "{:<44}{:>9} → {:>9}{}",
                         change.id,
                         shown(change.before),
                         shown(change.after),
                         both ? fmt::format("  {:+.1f} %", 100 * (change.after / change.before - 1))
                              : ""),
                     style.unicode) +
           '\n';
  }
  out += fmt::format("{} of {} points differ by more than both intervals; median ratio {:.3f}\n",
                     notable,
                     difference.points.size(),
                     difference.median_ratio);
  return out;
}

}  // namespace epwise::report
