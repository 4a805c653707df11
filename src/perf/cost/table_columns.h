#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "perf/cost/names.h"
#include "perf/cost/table.h"

namespace epwise::cost {

/// A value used by a law, and its unit.
template <class T>
struct Column {
  std::string_view name;
  std::string_view unit;
  double T::*member = nullptr;
  bool needed = true;
};

/// A range of validity of a law.
template <class T>
struct Limit {
  std::string_view name;
  Span T::*member = nullptr;
};

/// Parses one entry: the words of the key in order, then values and ranges by name. Everything that
/// is missing, unknown or in the wrong unit adds a message to `flaws`.
class TableRow {
 public:
  TableRow(const TableEntry& entry, std::vector<std::string>& flaws)
      : entry_(entry),
        flaws_(flaws) {}

  /// The next word of the key; "" when there is none.
  std::string word();

  /// The next word, which must be `yes` or `no`.
  bool is(std::string_view yes, std::string_view no);

  template <class T>
  T name() {
    const std::string text = word();
    const auto value = parse<T>(text);
    if (!value) {
      flaw(text, "is not a name known to the laws");
    }
    return value.value_or(T{});
  }

  template <class T>
  void bind(T& bound, const std::vector<Column<T>>& columns, const std::vector<Limit<T>>& limits) {
    bound.basis = entry_.basis;
    for (const Column<T>& column : columns) {
      if (const double* number = value(column.name, column.unit, column.needed)) {
        bound.*column.member = *number;
      }
    }
    for (const Limit<T>& limit : limits) {
      bound.*limit.member = range(limit.name);
    }
  }

  /// Reports unused values.
  void finish();

 private:
  void flaw(std::string_view name, std::string_view what);
  const double* value(std::string_view name, std::string_view unit, bool needed);
  Span range(std::string_view name);

  const TableEntry& entry_;
  std::vector<std::string>& flaws_;
  std::vector<std::string_view> asked_;
  std::size_t words_ = 0;
};

/// One function per law table: its key and columns.
void add_chip(TableRow& row, Table& table);
void add_format(TableRow& row, Table& table);
void add_gemm(TableRow& row, Table& table);
void add_grouped_gemm(TableRow& row, Table& table);
void add_persistent_gemm(TableRow& row, Table& table);
void add_moe_forward(TableRow& row, Table& table);
void add_attention(TableRow& row, Table& table);
void add_attention_line(TableRow& row, Table& table);
void add_memory_bound(TableRow& row, Table& table);
void add_collective(TableRow& row, Table& table);
void add_exchange(TableRow& row, Table& table);
void add_low_latency(TableRow& row, Table& table);
void add_nvlink_exchange(TableRow& row, Table& table);
void add_forms(TableRow& row, Table& table);
void add_doubts(TableRow& row, Table& table);

}  // namespace epwise::cost
