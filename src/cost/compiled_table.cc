#include "cost/compiled_table.h"

#include <stdexcept>
#include <utility>

#include "data/embedded.h"

namespace epwise::cost {

Table compiled_table() {
  std::vector<text::Diagnostic> problems;
  std::optional<Table> table = make_table(unpack_entries(data::compiled_laws()), problems);
  if (!table) {
    throw std::logic_error(problems.front().message);  // lawc let it pass
  }
  return *std::move(table);
}

}  // namespace epwise::cost
