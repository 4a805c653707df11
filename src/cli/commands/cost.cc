#include <algorithm>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/commands/all.h"
#include "cli/format_option.h"
#include "cli/manual/document.h"
#include "cost/compiled_table.h"
#include "cost/question.h"
#include "hw/profile.h"
#include "report/cost/writer.h"

namespace epwise::cli {

namespace {

using world::UsageError;

constexpr std::string_view kAbout = R"(LAWS
  `epwise cost gemm`, a law alone, lists its arguments. Times are of one kernel or one call, with all
  ranks starting at once. The interval holds the true time with 80 %; the error is the law's, the same
  at every call of one kind, and does not average out over layers.

STATUS
  fitted        rows of this chip, inside their range
  interpolated  the same architecture, another format or shape
  extrapolated  outside the range
  prior         scaled from a neighbour, or assumed

BATCH
  One JSON object a line: {"law": "gemm", "hw": "h100", "dtype": "bf16", "m": 4096, ...}; `-` reads
  standard input. One line comes back for each: {"schema", "seconds", "low", "high", "relative_sd",
  "status", "basis"}, or {"schema", "error"}. Lines with nothing in them get no answer.
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

/// What a law wants to know.
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

/// The laws go by names of profiles; people also type their aliases.
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
          "`{}` is no NAME=VALUE; `epwise cost {}` lists the names", word, question.law));
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

std::string batch_text(Session& session, const std::string& path) {
  if (path != "-") {
    return session.files.read(path);
  }
  return {std::istreambuf_iterator<char>(session.in), std::istreambuf_iterator<char>()};
}

ExitCode run_batch(Session& session, const cost::Table& table, const std::string& path) {
  std::istringstream lines(batch_text(session, path));
  ExitCode code = ExitCode::clean;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    std::string problem;
    const auto question = report::read_question(line, problem);
    const cost::Answer answer = question ? cost::answer(table, *question) : cost::Answer();
    session.out << (question ? report::answer_line(answer) : report::error_line(problem)) << '\n';
    code = answer.cost ? code : ExitCode::findings;
  }
  return code;
}

ExitCode run(Session& session, const Arguments& arguments) {
  const cost::Table table = cost::compiled_table();
  const int width = text_width(session.terminal, session.variables);
  if (const auto batch = arguments.one("--batch")) {
    if (!arguments.operands.empty()) {
      throw UsageError("--batch takes its questions from a file; ask none beside it");
    }
    return run_batch(session, table, batch->value);
  }
  if (arguments.operands.empty()) {
    throw UsageError(
        "which law? `epwise cost gemm --hw h100 dtype=bf16 m=4096 n=4096 k=4096`; `epwise cost "
        "--help` says more");
  }
  if (arguments.operands.size() == 1) {
    session.out << law_text(*cost::find_inquiry(arguments.operands.front()), table, width);
    return ExitCode::clean;
  }
  const cost::Question question = question_of(arguments);
  const cost::Answer answer = cost::answer(table, question);
  if (!answer.cost) {
    throw UsageError(fmt::format("{}\n`epwise cost {}` lists what it takes",
                                 fmt::join(answer.problems, "\n"),
                                 question.law));
  }
  const bool json = arguments.text_of("--format", "text") == "json";
  session.out << (json ? report::cost_json(question, *answer.cost)
                       : report::cost_text(question, *answer.cost, width));
  return ExitCode::clean;
}

}  // namespace

Command cost_command() {
  std::vector<std::string_view> laws;
  for (const cost::Inquiry& inquiry : cost::inquiries()) {
    laws.push_back(inquiry.name);
  }
  return {.name = "cost",
          .usage = "cost LAW [OPTION...] NAME=VALUE... | cost --batch FILE",
          .summary = "say how long a kernel or a collective takes",
          .examples = {{"cost gemm --hw h100 dtype=bf16 m=4096 n=7168 k=2048", "a matrix product"},
                       {"cost collective --hw gb200 kind=ag bytes_per_rank=64e6 ranks=8",
                        "an all-gather"},
                       {"cost dispatch", "what the law wants to know"}},
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
                       .summary = "answer many questions, one JSON object a line",
                       .completion = Completion::files,
                       .brief = true},
                      format_option()},
          .exits = {{ExitCode::clean, "every question has an answer"},
                    {ExitCode::findings, "a question of --batch has none: its line says why"}},
          .actions = std::move(laws),
          .needs_action = false,
          .about = kAbout,
          .run = run};
}

}  // namespace epwise::cli
