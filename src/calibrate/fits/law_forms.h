#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fits/laws.h"

/// The smooth forms of laws.h as functions of parameters.
namespace epwise::calibrate {

using Parameters = std::vector<double>;
using Axis = double Query::*;

struct NamedAxis {
  std::string_view name;
  Axis axis;
};

struct Form {
  std::string_view name;
  std::vector<std::string> names;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<NamedAxis> axes;  // that the range is stated for
  std::size_t least = 3;        // samples
  double (*value)(const Parameters& parameters, const Query& query) = nullptr;
  std::vector<Parameters> (*starts)(const std::vector<Sample>& samples) = nullptr;
};

/// Null pointer for a name that is no smooth form.
const Form* find_form(std::string_view name);

/// A message line with a knot at so many bytes.
Form bent_line(double knot);

/// The sample with the least or the largest value of an axis.
const Sample& extreme_of(const std::vector<Sample>& samples, Axis axis, bool largest);

/// The highest rate of all samples, GB/s.
double best_rate(const std::vector<Sample>& samples);

}  // namespace epwise::calibrate
