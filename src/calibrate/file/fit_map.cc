#include "calibrate/file/fit_map.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/file/work_map.h"
#include "yaml/reader.h"

namespace epwise::calibrate {

namespace {

constexpr double kMost = 1e18;

/// NaN for what is no finite number.
double number_of(const yaml::Node& node) {
  const double none = std::nan("");
  if (!node.is_scalar()) {
    return none;
  }
  try {
    std::size_t read = 0;
    const double value = std::stod(node.scalar, &read);
    return read == node.scalar.size() && std::isfinite(value) ? value : none;
  } catch (const std::exception&) {
    return none;
  }
}

void read_parameters(const yaml::Node& node, Fit& fit, std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "parameters", problems);
  for (const yaml::Entry& entry : node.entries) {
    fit.names.push_back(entry.key);
    fit.values.push_back(read_number(in, entry.key, 0, 0, kMost));
  }
}

void read_covariance(const yaml::Node& node, yaml::MapReader& in, Fit& fit) {
  const std::size_t size = fit.names.size();
  const auto is_row = [size](const yaml::Node& row) {
    return row.is_sequence() && row.items.size() == size;
  };
  if (node.items.size() != size || !std::all_of(node.items.begin(), node.items.end(), is_row)) {
    in.problem(node.mark,
               fmt::format("`covariance` of {0} parameters wants {0} rows of {0}", size));
    return;
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const yaml::Node& cell = node.items[i].items[j];
      const double value = number_of(cell);
      if (std::isnan(value) || (i == j && value < 0)) {
        in.problem(cell.mark, fmt::format("`{}` is no covariance", cell.scalar));
      } else {
        fit.covariance[i][j] = value;
      }
    }
  }
}

void read_range(const yaml::Node& node, Fit& fit, std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "range", problems);
  for (const yaml::Entry& entry : node.entries) {
    in.node(entry.key);
    const auto& ends = entry.value.items;
    const double low = ends.size() == 2 ? number_of(ends[0]) : std::nan("");
    const double high = ends.size() == 2 ? number_of(ends[1]) : std::nan("");
    if (!(low <= high)) {
      in.problem(entry.value.mark, fmt::format("range of `{}` wants [low, high]", entry.key));
      continue;
    }
    fit.range[entry.key] = {low, high};
  }
  in.finish();
}

Residual read_residual(const yaml::Node& node, std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "residual", problems);
  Residual residual;
  residual.rms = read_number(in, "rms", 0, 0, kMost);
  residual.largest = read_number(in, "largest", 0, 0, kMost);
  residual.worst = in.text("worst").value_or("");
  residual.points = static_cast<int>(read_number(in, "points", 0, 0, 1e6));
  residual.degrees = static_cast<int>(read_number(in, "degrees", 1, 1, 1e6));
  in.finish();
  return residual;
}

}  // namespace

Fit read_fit(const yaml::Node& node, std::vector<text::Diagnostic>& problems) {
  yaml::MapReader in(node, "fit", problems);
  Fit fit;
  fit.id = in.required_text("id");
  fit.form = in.required_text("form");
  in.required("parameters");
  if (const yaml::Node* parameters = in.mapping("parameters")) {
    read_parameters(*parameters, fit, problems);
  }
  fit.covariance.assign(fit.names.size(), std::vector<double>(fit.names.size(), 0));
  in.required("covariance");
  if (const yaml::Node* covariance = in.sequence("covariance")) {
    read_covariance(*covariance, in, fit);
  }
  if (const yaml::Node* range = in.mapping("range")) {
    read_range(*range, fit, problems);
  }
  if (const yaml::Node* residual = in.mapping("residual")) {
    fit.residual = read_residual(*residual, problems);
  }
  fit.flags = in.texts("flags");
  in.finish();
  return fit;
}

}  // namespace epwise::calibrate
