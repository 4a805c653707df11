#include "perf/cost/cost.h"

#include <algorithm>
#include <cmath>

#include "base/text/ascii.h"

namespace epwise::cost {

namespace {}  // namespace

bool Basis::is_measured_on(std::string_view chip) const {
  return text::is_one_of(chip, measured_on);
}

bool Basis::is_carried_to(std::string_view chip) const {
  return text::is_one_of(chip, carried_to);
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
      return "measurements of this chip, within their range";
    case Status::interpolated:
      return "the same architecture, another format or shape";
    case Status::extrapolated:
      return "outside the measured range";
    case Status::prior:
      return "scaled from a similar chip, or assumed";
  }
  return "";
}

double power_sum(std::initializer_list<double> terms) {
  const double greatest = std::max(terms);
  if (greatest <= 0) {
    return 0;
  }
  double sum = 0;
  for (const double term : terms) {
    const double square = (term / greatest) * (term / greatest);
    sum += square * square;
  }
  return greatest * std::sqrt(std::sqrt(sum));
}

}  // namespace epwise::cost
