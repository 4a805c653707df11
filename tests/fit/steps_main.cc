// Fits the step model's constants to published steps and predicts each step from constants that
// have not seen its cluster, and from constants that have not seen its study. tests/fit/steps.py
// writes the input and judges the figures.
//
//   fit_steps ROWS.jsonl FOLDS SEEDS [CONSTANTS.yaml]     → one JSON object

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/os/disk_files.h"
#include "fit/step_fit.h"
#include "perf/cost/compiled_table.h"
#include "perf/sim/prediction/uncertainty.h"

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

/// The constants of a file, or those of the build.
sim::ConstantTable table_of(const std::string& path) {
  if (path.empty()) {
    return sim::constants();
  }
  std::vector<text::Diagnostic> problems;
  sim::ConstantTable table =
      sim::read_constants(text::SourceFile(path, os::DiskFiles().read(path)), problems);
  if (!problems.empty()) {
    throw std::runtime_error(path + ": " + problems.front().message);
  }
  return table;
}

nlohmann::ordered_json row_table(const StepRows& rows,
                                 const std::vector<double>& fitted,
                                 const LeftOut& left_out) {
  nlohmann::ordered_json table;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const StepRow& row = rows.rows[i];
    const double measured = std::log(row.seconds);
    table.push_back({{"id", row.id},
                     {"error", fitted[i] - measured},
                     {"left_out", left_out.log_seconds[i] - measured},
                     {"half_width", left_out.half_widths[i]}});
  }
  return table;
}

int run(const std::string& path, int folds, unsigned seeds, const std::string& constants_path) {
  const cost::Table laws = cost::compiled_table();
  const sim::ConstantTable table = table_of(constants_path);
  const StepRows rows = read_step_rows(os::DiskFiles().read(path), laws, table);
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
    out["clusters_left_out"].push_back(
        figures(rows, leave_out(rows, table, &StepRow::cluster, folds, seed)));
    const LeftOut studies = leave_out(rows, table, &StepRow::study, folds, seed);
    out["studies_left_out"].push_back(figures(rows, studies));
    if (seed == 0) {
      out["table"] = row_table(rows, predict_steps(rows, fitted), studies);
    }
  }
  fmt::print("{}\n", out.dump(1));
  return 0;
}

}  // namespace
}  // namespace epwise::fit

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fputs("fit_steps ROWS.jsonl FOLDS SEEDS [CONSTANTS.yaml]\n", stderr);
    return 2;
  }
  try {
    return epwise::fit::run(argv[1],
                            std::stoi(argv[2]),
                            static_cast<unsigned>(std::stoi(argv[3])),
                            argc > 4 ? argv[4] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
