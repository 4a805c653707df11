#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/cost/cost.h"
#include "perf/cost/names.h"
#include "perf/cost/table.h"

namespace epwise::cost {

/// One argument of a query.
struct Parameter {
  enum class Kind : std::uint8_t {
    count,    // a whole number
    number,   // any number
    numbers,  // one number, or one per group: 512 or 512,1024,96
    flag,     // true or false
    word      // one of `words`, or any word if the list is empty
  };

  std::string_view name;
  Kind kind = Kind::count;
  std::string_view meaning;         // a short description with the unit
  std::string_view otherwise = {};  // the default value; empty: required
  double low = 1;
  double high = 1e12;
  std::vector<std::string_view> words = {};
};

/// The arguments of one query, each checked against its parameter.
class Values {
 public:
  /// Stores a value, or reports what is wrong with it and returns false.
  bool read(const Parameter& parameter, std::string_view text, std::vector<std::string>& problems);

  /// Values that were read; reading any other is a bug.
  double number(std::string_view name) const { return numbers(name).front(); }

  int count(std::string_view name) const { return static_cast<int>(number(name)); }

  bool flag(std::string_view name) const { return number(name) != 0; }

  const std::vector<double>& numbers(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  template <class T>
  T name(std::string_view parameter) const {
    return parse<T>(word(parameter)).value_or(T{});
  }

 private:
  std::map<std::string, std::vector<double>, std::less<>> numbers_;
  std::map<std::string, std::string, std::less<>> words_;
};

}  // namespace epwise::cost

/// The laws as queried by people and files: by name, with named arguments.

namespace epwise::cost {

/// `dtype=bf16`: a name and its value as written.
struct Argument {
  std::string name;
  std::string text;
};

struct Question {
  std::string law;                  // "gemm"
  std::vector<Argument> arguments;  // {"hw", "h100"}, {"m", "4096"}, …
};

/// A cost, or everything that is wrong with the query.
struct Answer {
  std::optional<Cost> cost;
  std::vector<std::string> problems;
};

/// A law that can be queried, and its arguments.
struct Inquiry {
  std::string_view name;
  std::string_view summary;  // a few words
  std::vector<Parameter> parameters;
  Cost (*ask)(const Table& table, const Chip& chip, const Values& values) = nullptr;
  /// Checks of combinations of individually valid arguments; null pointer: none.
  void (*check)(const Values& values, std::vector<std::string>& problems) = nullptr;
};

/// gemm, grouped_gemm, moe_forward, attention, memory_bound, collective, dispatch, combine.
const std::vector<Inquiry>& inquiries();

/// Null pointer if no law has that name.
const Inquiry* find_inquiry(std::string_view name);

/// A query whose arguments are parsed, for repeated evaluation.
struct Request {
  const Inquiry* inquiry = nullptr;
  const Chip* chip = nullptr;  // points into the table used for parsing
  Values values;

  Cost ask(const Table& table) const { return inquiry->ask(table, *chip, values); }
};

/// Nullopt and all problems for an invalid query.
std::optional<Request> read_request(const Table& table,
                                    const Question& question,
                                    std::vector<std::string>& problems);

/// Never throws for an invalid query:
///   {gemm, hw=h100 dtype=bf16 m=4096 n=4096 k=4096}  → 177 us
///   {gemm, hw=h10 dtype=bf16 m=4096 n=4096 q=4096}   → "no law knows the chip `h10`, did you mean
///     `h100`?", "`gemm` takes no `q`", "`k` (depth) is missing"
Answer answer(const Table& table, const Question& question);

/// The parts of inquiries().
std::vector<Inquiry> kernel_inquiries();
std::vector<Inquiry> traffic_inquiries();

}  // namespace epwise::cost
