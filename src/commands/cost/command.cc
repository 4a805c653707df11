#include "ui/command.h"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "commands/all.h"
#include "commands/cost/report.h"
#include "hw/profile.h"
#include "perf/cost/compiled_table.h"
#include "perf/cost/question.h"
#include "session/files/file_selection.h"
#include "session/options/arguments.h"
#include "ui/document.h"
#include "ui/standard_input.h"

namespace epwise::cli {

namespace {

using os::UsageError;

constexpr std::string_view kAboutCost = R"(LAWS
  `epwise cost gemm`, a law without arguments, lists its arguments. Times are for one kernel or one
  call, with all ranks starting together. The interval contains the true time with 80 % probability;
  the error belongs to the law: it is the same for every call of a kind and does not average out
  over layers.

STATUS
  fitted        measurements of this chip, within their range
  interpolated  the same architecture, another format or shape
  extrapolated  outside the measured range
  prior         scaled from a similar chip, or assumed

BATCH
  One JSON object per line: {"law": "gemm", "hw": "h100", "dtype": "bf16", "m": 4096, ...}; `-`
  reads standard input. Each line gets one line of output: {"schema", "seconds", "low", "high",
  "relative_sd", "status", "basis"}, or {"schema", "error"}. Blank lines get none.
)";

std::string argument_text(const cost::Parameter& parameter) {
  std::string text(parameter.meaning);
  if (!parameter.words.empty()) {
    text += fmt::format(": {}", fmt::join(parameter.words, ", "));
  }
  if (!parameter.otherwise.empty()) {
    text += fmt::format(" [{}]", parameter.otherwise);
  }
  return text;
}

/// The arguments of a law.
std::string law_text(const cost::Inquiry& inquiry, const cost::Table& table, int width) {
  std::vector<std::string_view> chips;
  for (const cost::Chip& chip : table.chips) {
    chips.push_back(chip.name);
  }
  std::vector<std::pair<std::string, std::string>> rows = {
      {"hw", fmt::format("the chip, or --hw: {}", fmt::join(chips, ", "))}};
  for (const cost::Parameter& parameter : inquiry.parameters) {
    rows.emplace_back(std::string(parameter.name), argument_text(parameter));
  }
  return fmt::format("epwise cost {} NAME=VALUE...: {}\n\n", inquiry.name, inquiry.summary) +
         two_columns(rows, 2, width);
}

/// The laws use profile names; users may also type aliases.
std::string chip_name(const std::string& text) {
  const hw::Profile* profile = hw::find_profile(text);
  return profile == nullptr ? text : profile->name;
}

cost::Question question_of(const Arguments& arguments) {
  cost::Question question{arguments.operands.front(), {}};
  for (std::size_t i = 1; i < arguments.operands.size(); ++i) {
    const std::string& word = arguments.operands[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format(
          "`{}` is not NAME=VALUE; `epwise cost {}` lists the names", word, question.law));
    }
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    question.arguments.push_back({name, name == "hw" ? chip_name(value) : value});
  }
  const auto chip = arguments.one("--hw");
  const auto is_chip = [](const cost::Argument& argument) { return argument.name == "hw"; };
  if (chip && std::ranges::none_of(question.arguments, is_chip)) {
    question.arguments.insert(question.arguments.begin(), {"hw", chip_name(chip->value)});
  }
  return question;
}

std::string batch_text(Console& console, const std::string& path) {
  if (!session::is_standard_input(path)) {
    return console.files.read(path);
  }
  return read_all(console.in);
}

ExitCode run_batch(Console& console, const cost::Table& table, const std::string& path) {
  std::istringstream lines(batch_text(console, path));
  ExitCode code = ExitCode::clean;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    std::string problem;
    const auto question = report::read_question(line, problem);
    const cost::Answer answer = question ? cost::answer(table, *question) : cost::Answer();
    console.out << (question ? report::answer_line(answer) : report::error_line(problem)) << '\n';
    code = answer.cost ? code : ExitCode::findings;
  }
  return code;
}

ExitCode run_cost(Console& console, const Arguments& arguments) {
  const cost::Table table = cost::compiled_table();
  const int width = text_width(console.terminal, console.variables);
  if (const auto batch = arguments.one("--batch")) {
    if (!arguments.operands.empty()) {
      throw UsageError("--batch reads its queries from a file; give no other query");
    }
    return run_batch(console, table, batch->value);
  }
  if (arguments.operands.empty()) {
    throw UsageError(
        "no law given: `epwise cost gemm --hw h100 dtype=bf16 m=4096 n=4096 k=4096`; see `epwise "
        "cost --help`");
  }
  if (arguments.operands.size() == 1) {
    console.out << law_text(*cost::find_inquiry(arguments.operands.front()), table, width);
    return ExitCode::clean;
  }
  const cost::Question question = question_of(arguments);
  const cost::Answer answer = cost::answer(table, question);
  if (!answer.cost) {
    throw UsageError(fmt::format("{}\n`epwise cost {}` lists its arguments",
                                 fmt::join(answer.problems, "\n"),
                                 question.law));
  }
  const bool json = arguments.text_of("--format", "text") == "json";
  console.out << (json ? report::cost_json(question, *answer.cost)
                       : report::cost_text(question, *answer.cost, width));
  return ExitCode::clean;
}

}  // namespace

Command cost_command() {
  std::vector<std::string_view> laws;
  for (const cost::Inquiry& inquiry : cost::inquiries()) {
    laws.push_back(inquiry.name);
  }
  return {
      .name = "cost",
      .usage = "cost LAW [OPTION...] NAME=VALUE... | cost --batch FILE",
      .summary = "predict the time of a kernel or a collective",
      .examples = {{"cost gemm --hw h100 dtype=bf16 m=4096 n=7168 k=2048", "a GEMM"},
                   {"cost collective --hw gb200 kind=ag bytes_per_rank=64e6 ranks=8",
                    "an all-gather"},
                   {"cost dispatch", "the arguments of a law"}},
      .options = {{.name = "--hw",
                   .arity = Option::Arity::one,
                   .value = "NAME",
                   .summary = "the chip, as hw=NAME",
                   .variable = "EPWISE_HW",
                   .completion = Completion::profiles,
                   .brief = true},
                  {.name = "--batch",
                   .arity = Option::Arity::one,
                   .value = "FILE",
                   .summary = "answer many queries, one JSON object per line",
                   .completion = Completion::files,
                   .brief = true},
                  format_option()},
      .exits = {{ExitCode::clean, "every query has an answer"},
                {ExitCode::findings, "a --batch query failed; its output line gives the reason"}},
      .actions = std::move(laws),
      .needs_action = false,
      .about = kAboutCost,
      .run = run_cost};
}

}  // namespace epwise::cli
