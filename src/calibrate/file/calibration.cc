#include "calibrate/file/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "perf/cost/names.h"

namespace epwise::calibrate {

/// Student's t for a two-sided 95 % interval with `degrees` (at least 1) of freedom: 12.71, 4.30,
/// …, 1.96.
double student_t95(int degrees);

namespace {

template <class Items>
auto* find_id(const Items& items, std::string_view id) {
  const auto found =
      std::find_if(items.begin(), items.end(), [id](const auto& item) { return item.id == id; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

double Timing::relative_sd() const {
  constexpr double kDeviations = 1.96;  // from the median to an end of its interval
  if (median <= 0) {
    return 0;
  }
  return std::max(high - low, 0.0) / (2 * kDeviations * median);
}

double Fit::value(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? 0 : values.at(static_cast<std::size_t>(found - names.begin()));
}

double Fit::relative_sd(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return 0;
  }
  const auto i = static_cast<std::size_t>(found - names.begin());
  return std::sqrt(std::max(0.0, covariance.at(i).at(i)));
}

Span Fit::interval(std::string_view name) const {
  const double reach = student_t95(residual.degrees) * relative_sd(name);
  return {value(name) * (1 - reach), value(name) * (1 + reach)};
}

bool Fit::has_flag(std::string_view flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

const Point* Calibration::point(std::string_view id) const {
  const auto found = std::find_if(
      points.begin(), points.end(), [id](const Point& point) { return point.request.id == id; });
  return found == points.end() ? nullptr : &*found;
}

const Fit* Calibration::fit(std::string_view id) const {
  return find_id(fits, id);
}

std::int64_t Calibration::reached() const {
  return std::count_if(points.begin(), points.end(), [](const Point& point) {
    return point.status != PointStatus::imported;
  });
}

std::int64_t Calibration::unreached() const {
  return std::max<std::int64_t>(planned - reached(), 0);
}

std::string_view to_string(PointStatus status) {
  switch (status) {
    case PointStatus::measured:
      return "measured";
    case PointStatus::imported:
      return "imported";
    case PointStatus::assumed:
      return "assumed";
    case PointStatus::not_measured:
      return "not_measured";
  }
  return "";
}

std::string_view to_string(Check::Result result) {
  switch (result) {
    case Check::Result::passed:
      return "passed";
    case Check::Result::failed:
      return "failed";
    case Check::Result::not_checked:
      return "not_checked";
  }
  return "";
}

std::string_view format_word(cost::Format format) {
  for (const auto& name : cost::names_of(format)) {
    if (name.value == format) {
      return name.text;
    }
  }
  return "";
}

double student_t95(int degrees) {
  constexpr std::array<double, 12> kExact = {
      12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179};
  const int known = std::max(degrees, 1);
  if (known <= static_cast<int>(kExact.size())) {
    return kExact.at(static_cast<std::size_t>(known - 1));
  }
  // Cornish-Fisher expansion around the normal quantile; error at most 1e-4 from here on.
  constexpr double kNormal = 1.959964;
  const double n = known;
  const double z3 = kNormal * kNormal * kNormal;
  return kNormal + (z3 + kNormal) / (4 * n) +
         (5 * z3 * kNormal * kNormal + 16 * z3 + 3 * kNormal) / (96 * n * n);
}

}  // namespace epwise::calibrate
