#pragma once

#include <string>
#include <vector>

#include "perf/cost/question.h"

namespace epwise::fit {

/// A published measurement as a question to the laws, and the time that was measured.
struct Measurement {
  std::string id;     // "m01234"
  std::string shape;  // rows of one shape are left out together
  cost::Question question;
  double seconds = 0;
};

/// Lines of facts/micro_rows.jsonl → measurements, read as tools/micro.py reads them. What cannot
/// be compared is left out: sick clusters, reports of users, rows without a size, two rows that
/// their twins contradict five times over.
std::vector<Measurement> read_rows(const std::string& lines, const cost::Table& table);

}  // namespace epwise::fit
