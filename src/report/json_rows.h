#pragma once

#include "report/json_text.h"
#include "report/spool.h"

namespace epwise::report {

/// A JSON list of any length, an element a line: a diff of two reports shows the rows that differ.
///   "[\n{\"a\":1},\n{\"a\":2}\n]"; "[]" without rows
class JsonRows {
 public:
  void add(const Json& row);

  /// The whole list. Throws std::runtime_error as Spool does.
  void give(const Out& out) const;

 private:
  Spool rows_;
};

}  // namespace epwise::report
