#include "commands/calibrate/report.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ui/columns.h"
#include "ui/json.h"
#include "ui/prediction_text.h"
#include "ui/style.h"

namespace epwise::report {

namespace {

using calibrate::Calibration;
using calibrate::Fit;
using calibrate::Point;
using calibrate::PointStatus;
using calibrate::Quantity;

constexpr int kMostWeaknesses = 12;

std::string rounded_percent(double share) {
  return share < 0.0995 ? fmt::format("{:.1f} %", 100 * share)
                        : fmt::format("{:.0f} %", 100 * share);
}

/// Times of constants are in seconds; ratios are near 1.
std::string constant_text(const std::string& constant, double value) {
  const bool is_time = constant.starts_with("host_") || constant == "kernel_launch" ||
                       constant.ends_with("_latency") || constant == "step_fixed" ||
                       constant == "flex_preparation";
  return is_time && value < 1 ? seconds_text(value) : fmt::format("{:.3g}", value);
}

class CalibrationText {
 public:
  explicit CalibrationText(const Style& style)
      : style_(style),
        paint_(style.colour, style.hyperlinks) {}

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
    const int missing = static_cast<int>(calibration.points.size()) +
                        static_cast<int>(calibration.unreached()) - timed - imported;
    line(fmt::format("{} points measured, {} imported, {} not measured", timed, imported, missing));
  }

  void tell_quantities(const std::vector<Quantity>& quantities, std::string_view hw) {
    title(hw.empty() ? std::string("used by the simulator")
                     : fmt::format("used by the simulator for {}", hw));
    for (const Quantity& quantity : quantities) {
      if (quantity.measured) {
        line(fmt::format("  {:<18}{:<10}± {:<8}{}",
                         quantity.constant,
                         constant_text(quantity.constant, quantity.value),
                         rounded_percent(quantity.log_sd),
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
                       rounded_percent(fit.residual.rms),
                       rounded_percent(fit.residual.largest),
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
        line(fmt::format("  {:<44}{:>9}  until it gets its SMs, {} to {} in 8 of 10 rounds",
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
    title("weak points");
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
  return CalibrationText(style).run(calibration, quantities, hw, every_point);
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

namespace {

Json fit_json(const calibrate::Fit& fit) {
  Json parameters = Json::object();
  for (std::size_t i = 0; i < fit.names.size(); ++i) {
    parameters[fit.names[i]] = {{"value", fit.values[i]},
                                {"relative_sd", fit.relative_sd(fit.names[i])}};
  }
  return {{"id", fit.id},
          {"form", fit.form},
          {"parameters", std::move(parameters)},
          {"rms", fit.residual.rms},
          {"points", fit.residual.points},
          {"flags", fit.flags}};
}

Json seconds_or_null(double seconds) {
  return seconds > 0 ? Json(seconds) : Json(nullptr);
}

}  // namespace

std::string calibration_json(const calibrate::Calibration& calibration,
                             const std::vector<calibrate::Quantity>& quantities,
                             std::string_view hw) {
  Json points = {{"measured", 0}, {"imported", 0}, {"assumed", 0}, {"not_measured", 0}};
  for (const calibrate::Point& point : calibration.points) {
    Json& count = points[std::string(calibrate::to_string(point.status))];
    count = count.get<int>() + 1;
  }
  Json constants = Json::array();
  for (const calibrate::Quantity& quantity : quantities) {
    Json one = {{"name", quantity.constant}, {"measured", quantity.measured}};
    if (quantity.measured) {
      one["value"] = quantity.value;
      one["log_sd"] = quantity.log_sd;
    }
    one["basis"] = quantity.basis;
    constants.push_back(std::move(one));
  }
  Json fits = Json::array();
  for (const calibrate::Fit& fit : calibration.fits) {
    fits.push_back(fit_json(fit));
  }
  const Json all = {{"schema", "epwise.calibrate/1"},
                    {"hw", hw},
                    {"device", calibration.environment.device.name},
                    {"backend", calibration.backend},
                    {"created", calibration.created},
                    {"ranks", calibration.ranks},
                    {"points", std::move(points)},
                    {"constants", std::move(constants)},
                    {"fits", std::move(fits)},
                    {"weaknesses", calibrate::weaknesses(calibration)}};
  return json_text(all);
}

std::string difference_json(const calibrate::Difference& difference) {
  Json points = Json::array();
  for (const calibrate::PointChange& change : difference.points) {
    points.push_back({{"id", change.id},
                      {"before_s", seconds_or_null(change.before)},
                      {"after_s", seconds_or_null(change.after)},
                      {"notable", change.notable}});
  }
  return json_text({{"schema", "epwise.calibrate-diff/1"},
                    {"settings", difference.settings},
                    {"points", points},
                    {"median_ratio", difference.median_ratio}});
}

std::string check_json(std::string_view path, const std::vector<std::string>& weaknesses) {
  return json_text(
      {{"schema", "epwise.calibrate-check/1"}, {"path", path}, {"weaknesses", weaknesses}});
}

}  // namespace epwise::report
