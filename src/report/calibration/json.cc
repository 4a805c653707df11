#include "report/calibration/writer.h"
#include "report/json_text.h"

namespace epwise::report {

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
