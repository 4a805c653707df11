/// Lines that `epwise cost --batch` reads: each is a question with an answer or reasons for none,
/// or no question and why.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "commands/cost/report.h"
#include "perf/cost/compiled_table.h"
#include "perf/cost/question.h"
#include "support/fuzz_target.h"
#include "support/require.h"

FUZZ_TARGET(question) {
  using epwise::support::require;
  static const auto kTable = epwise::cost::compiled_table();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    std::string problem;
    const auto question = epwise::report::read_question(line, problem);
    require(question.has_value() == problem.empty());
    if (question) {
      const auto answer = epwise::cost::answer(kTable, *question);
      require(answer.cost.has_value() == answer.problems.empty());
      require(!epwise::report::answer_line(answer).empty());
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return 0;
}
