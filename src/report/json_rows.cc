#include "report/json_rows.h"

namespace epwise::report {

void JsonRows::add(const Json& row) {
  rows_.add(rows_.empty() ? "\n" : ",\n");
  rows_.add(json_line(row));
}

void JsonRows::give(const Out& out) const {
  out("[");
  rows_.give(out);
  out(rows_.empty() ? "]" : "\n]");
}

}  // namespace epwise::report
