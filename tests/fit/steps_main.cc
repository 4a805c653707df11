// Fits the step model's constants to published steps and predicts each step from constants that
// have not seen its cluster. tests/fit/steps.py writes the input and judges the figures.
//
//   fit_steps ROWS.jsonl FOLDS SEEDS     → one JSON object

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cost/compiled_table.h"
#include "fit/step_fit.h"
#include "sim/uncertainty/uncertainty.h"
#include "world/disk_files.h"

namespace epwise::fit {
namespace {

nlohmann::ordered_json figures(const StepRows& rows, const LeftOut& predicted) {
  std::vector<double> errors;
  std::vector<double> widths = predicted.half_widths;
  int inside = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const double error = predicted.log_seconds[i] - std::log(rows.rows[i].seconds);
    errors.push_back(std::abs(std::expm1(error)));
    inside += std::abs(error) <= widths[i] ? 1 : 0;
  }
  std::ranges::sort(errors);
  std::ranges::sort(widths);
  const auto count = errors.size();
  const auto median = [count](const std::vector<double>& sorted) {
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  };
  return {{"median_ape", median(errors)},
          {"p90_ape", errors[static_cast<std::size_t>(0.9 * static_cast<double>(count - 1))]},
          {"coverage", static_cast<double>(inside) / static_cast<double>(count)},
          {"half_width", median(widths)}};
}

LeftOut nothing_left_out(const StepRows& rows, const sim::Constants& constants) {
  LeftOut result{predict_steps(rows, constants), {}};
  for (const StepRow& row : rows.rows) {
    result.half_widths.push_back(sim::uncertainty_of(rows.works[row.work], constants).half_width());
  }
  return result;
}

int run(const std::string& path, int folds, unsigned seeds) {
  const cost::Table laws = cost::compiled_table();
  const StepRows rows = read_step_rows(world::DiskFiles().read(path), laws);
  const sim::ConstantTable& table = sim::constants();
  const sim::Constants fitted = fit_steps(rows, Chosen(rows.rows.size(), true), table);
  nlohmann::ordered_json out;
  out["rows"] = rows.rows.size();
  out["recipes"] = rows.works.size();
  for (const std::string& name : fitted_names(table)) {
    const auto member = sim::constant_member(name);
    out["constants"][name] = {{"shipped", table.values.*member}, {"fitted", fitted.*member}};
  }
  out["shipped"] = figures(rows, nothing_left_out(rows, table.values));
  out["in_sample"] = figures(rows, nothing_left_out(rows, fitted));
  for (unsigned seed = 0; seed < seeds; ++seed) {
    out["left_out"].push_back(figures(rows, leave_clusters_out(rows, table, folds, seed)));
  }
  fmt::print("{}\n", out.dump(1));
  return 0;
}

}  // namespace
}  // namespace epwise::fit

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("fit_steps ROWS.jsonl FOLDS SEEDS\n", stderr);
    return 2;
  }
  try {
    return epwise::fit::run(argv[1], std::stoi(argv[2]), static_cast<unsigned>(std::stoi(argv[3])));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
