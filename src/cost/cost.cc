#include "cost/cost.h"

#include <algorithm>
#include <cmath>

#include "cost/quantile.h"

namespace epwise::cost {

namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool Basis::is_measured_on(std::string_view chip) const {
  return has(measured_on, chip);
}

bool Basis::is_carried_to(std::string_view chip) const {
  return has(carried_to, chip);
}

Interval Cost::interval() const {
  const double sigma = std::sqrt(std::log1p(relative_sd * relative_sd));
  const double factor = std::exp(kNineTenths * sigma);
  return {seconds / factor, seconds * factor};
}

Status worse(Status a, Status b) {
  return std::max(a, b);
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::fitted:
      return "fitted";
    case Status::interpolated:
      return "interpolated";
    case Status::extrapolated:
      return "extrapolated";
    case Status::prior:
      return "prior";
  }
  return "";
}

std::string_view meaning_of(Status status) {
  switch (status) {
    case Status::fitted:
      return "rows of this chip, inside their range";
    case Status::interpolated:
      return "the same architecture, another format or shape";
    case Status::extrapolated:
      return "outside the range of the rows";
    case Status::prior:
      return "scaled from a neighbour, or assumed";
  }
  return "";
}

}  // namespace epwise::cost
