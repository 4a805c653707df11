#include "perf/cost/compiled_table.h"

#include <stdexcept>
#include <utility>

#include "base/embedded/embedded.h"

namespace epwise::cost {

Table compiled_table() {
  std::vector<text::Diagnostic> problems;
  std::optional<Table> table = make_table(unpack_entries(embedded::compiled_laws()), problems);
  if (!table) {
    throw std::logic_error(problems.front().message);  // already checked by lawc
  }
  return *std::move(table);
}

}  // namespace epwise::cost
