#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fit/micro_rows.h"
#include "perf/cost/question.h"
#include "perf/cost/table.h"

namespace epwise::fit {

/// A row with its question read.
struct Sample {
  std::string group;  // chip and shape
  cost::Request request;
  double seconds = 0;
};

/// How far a law is from rows: relative errors of the time.
struct Errors {
  double median = 0;
  double p90 = 0;
};

struct Outcome {
  std::vector<double> values;  // of the entry's `fitted`, in that order
  double loss = 0;             // of these values
  double present_loss = 0;     // of the values in the table
  Errors errors;               // of these values, on the rows that they were fitted to
  Errors present;              // of the values in the table
  Errors crossed;              // of rows whose chip and shape were left out; 0 unless asked for
};

/// All entries of all tables, one of which a fit changes.
class LawFit {
 public:
  /// `rows`: lines of facts/micro_rows.jsonl.
  LawFit(std::vector<cost::TableEntry> entries, const std::string& rows);

  /// The rows that an entry answers, but for those that it answers by scaling from elsewhere.
  const std::vector<Sample>& samples(std::size_t entry) const { return samples_[entry]; }

  /// Least squares from the present values and from two starts far off.
  Outcome fit(std::size_t entry, bool cross) const;

 private:
  std::vector<double> residuals(std::size_t entry,
                                const std::vector<Sample>& samples,
                                const std::vector<double>& values) const;
  std::vector<double> best_values(std::size_t entry,
                                  const std::vector<Sample>& samples,
                                  const std::vector<std::vector<double>>& starts) const;
  std::vector<double> crossed_errors(std::size_t entry, const std::vector<double>& values) const;

  std::vector<cost::TableEntry> entries_;
  cost::Table table_;
  std::vector<std::vector<Sample>> samples_;  // by entry
};

}  // namespace epwise::fit
