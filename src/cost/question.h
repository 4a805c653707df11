#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/cost.h"
#include "cost/question_values.h"
#include "cost/table.h"

/// The laws as people and files ask them: by name, with named arguments.
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

/// A cost, or everything that is wrong with the question.
struct Answer {
  std::optional<Cost> cost;
  std::vector<std::string> problems;
};

/// A law that can be asked, and what it wants to know.
struct Inquiry {
  std::string_view name;
  std::string_view summary;  // a few words
  std::vector<Parameter> parameters;
  Cost (*ask)(const Table& table, const Chip& chip, const Values& values) = nullptr;
  /// Problems between arguments, each of which is good alone; null pointer: none.
  void (*check)(const Values& values, std::vector<std::string>& problems) = nullptr;
};

/// gemm, grouped_gemm, moe_forward, attention, memory_bound, collective, dispatch, combine.
const std::vector<Inquiry>& inquiries();

/// Null pointer when no law has that name.
const Inquiry* find_inquiry(std::string_view name);

/// A question whose arguments are read, ready to be asked again and again.
struct Request {
  const Inquiry* inquiry = nullptr;
  const Chip* chip = nullptr;  // points into the table that it was read with
  Values values;

  Cost ask(const Table& table) const { return inquiry->ask(table, *chip, values); }
};

/// Nullopt, and every problem, for a question that is wrong.
std::optional<Request> read_request(const Table& table,
                                    const Question& question,
                                    std::vector<std::string>& problems);

/// Never throws for a question, however wrong:
///   {gemm, hw=h100 dtype=bf16 m=4096 n=4096 k=4096}  → 177 us
///   {gemm, hw=h10 dtype=bf16 m=4096 n=4096 q=4096}   → "no law knows the chip `h10`, did you mean
///     `h100`?", "`gemm` takes no `q`", "`k` (depth) is missing"
Answer answer(const Table& table, const Question& question);

/// The lists behind inquiries().
std::vector<Inquiry> kernel_inquiries();
std::vector<Inquiry> traffic_inquiries();

}  // namespace epwise::cost
