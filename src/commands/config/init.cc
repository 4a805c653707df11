#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/diagnostic.h"
#include "commands/advise/interview.h"
#include "commands/config/actions.h"
#include "hw/profile.h"
#include "session/settings/configuration.h"
#include "yaml/literal.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kSkipped = "none";

/// One key of the file.
struct InitRow {
  std::string_view key;
  std::string_view option;
  std::string text = {};    // the value; empty: left out
  bool is_list = false;     // a sequence of words
  bool is_mapping = false;  // K=V
};

/// A value that YAML reads back as this text.
std::string init_scalar(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+,-";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos &&
                     text.front() != '-' && text.front() != '.' && text.front() != ',';
  if (plain) {
    return text;
  }
  return yaml::render_text(text, yaml::Quote::twofold);
}

/// `K=V` → "K: V"; K alone: without a value.
std::string init_pair(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  return fmt::format("{}: {}",
                     init_scalar(word.substr(0, equals)),
                     equals == std::string::npos ? "" : init_scalar(value));
}

std::string init_text(const std::vector<std::string>& values, const InitRow& row) {
  if (!row.is_list && !row.is_mapping) {
    return init_scalar(fmt::format("{}", fmt::join(values, ",")));
  }
  std::vector<std::string> words;
  for (const std::string& each : values) {
    words.push_back(row.is_mapping ? init_pair(each) : init_scalar(each));
  }
  const std::string inner = fmt::format("{}", fmt::join(words, ", "));
  return row.is_mapping ? "{" + inner + "}" : "[" + inner + "]";
}

/// The rows with the values of the options.
std::vector<InitRow> given_rows(const Arguments& arguments) {
  std::vector<InitRow> rows = {
      {"framework", "--framework"},
      {"hw", "--hw"},
      {"gpus", "--gpus"},
      {"stack", "--stack"},
      {"purpose", "--purpose"},
      {.key = "env", .option = "--env", .is_mapping = true},
      {.key = "harness", .option = "--harness", .is_mapping = true},
      {.key = "select", .option = "--select", .is_list = true},
      {.key = "ignore", .option = "--ignore", .is_list = true},
      {.key = "extend_select", .option = "--extend-select", .is_list = true},
      {.key = "extend_ignore", .option = "--extend-ignore", .is_list = true},
      {"fail_on", "--fail-on"}};
  for (InitRow& row : rows) {
    std::vector<std::string> values;
    for (const Setting& setting : arguments.all(row.option)) {
      values.push_back(setting.value);
    }
    if (!values.empty()) {
      row.text = init_text(values, row);
    }
  }
  if (arguments.flag("--strict")) {
    rows.push_back({.key = "strict", .option = "--strict", .text = "true"});
  }
  return rows;
}

std::string file_text(const std::vector<InitRow>& rows) {
  std::string text =
      "# Settings of epwise for the recipes below this directory; an option, a variable EPWISE_* "
      "and "
      "a recipe's\n# header take precedence. `epwise schema config` lists the keys.\n";
  for (const InitRow& row : rows) {
    if (!row.text.empty()) {
      text += fmt::format("{}: {}\n", row.key, row.text);
    }
  }
  return text;
}

/// What is wrong with such a file; empty: nothing.
std::string problem_of(const std::string& path, const std::string& text, const Console& console) {
  const text::SourceFile file(path, text);
  std::vector<text::Diagnostic> problems;
  const Configuration configuration = read_configuration(file, "", problems);
  if (!problems.empty()) {
    return problems.front().message;
  }
  try {
    check_configuration(configuration, console);
  } catch (const os::UsageError& error) {
    return error.what();
  }
  return {};
}

Question setting_question(std::string text,
                          std::string fallback,
                          std::string help,
                          InitRow& row,
                          const Console& console) {
  return {std::move(text),
          std::move(fallback),
          std::move(help),
          [&row, &console](const std::string& answer) -> std::string {
            row.text.clear();
            if (answer == kSkipped) {
              return {};
            }
            row.text = init_scalar(answer);
            std::string wrong = problem_of(".epwise.yaml", file_text({row}), console);
            if (!wrong.empty()) {
              row.text.clear();
            }
            return wrong;
          }};
}

/// Asks for the usual keys; false: the user quit.
bool ask_rows(std::vector<InitRow>& rows, Console& console) {
  const auto row_of = [&rows](std::string_view key) -> InitRow& {
    return *std::ranges::find(rows, key, &InitRow::key);
  };
  std::vector<std::string> profiles;
  for (const hw::Profile& profile : hw::profiles()) {
    profiles.push_back(profile.name);
  }
  const auto step = [&](const std::string& text,
                        const std::string& fallback,
                        const std::string& help,
                        InitRow& row) {
    return Step{
        [=, &row, &console] { return setting_question(text, fallback, help, row, console); }};
  };
  console.err
      << "Settings for the recipes below this directory. Enter takes the value in brackets, "
         "? explains, quit exits.\n";
  return Interview(console.in, console.err)
      .run({step("GPU",
                 std::string(kSkipped),
                 fmt::format("The GPU that the recipes run on: {}.", fmt::join(profiles, ", ")),
                 row_of("hw")),
            step("GPUs of a job",
                 std::string(kSkipped),
                 "All GPUs of one job; none if recipes differ (`targets` can then set it by path).",
                 row_of("gpus")),
            step("Software",
                 std::string(kSkipped),
                 "A released container (nemo-26.06) or versions: te=2.14.0,torch=2.9.1.",
                 row_of("stack")),
            step("A run fails on findings from",
                 "error",
                 "error, warning, note, never, or an effect: hang, wrong, memory, slow.",
                 row_of("fail_on"))});
}

}  // namespace

ExitCode init_configuration(Console& console, const Arguments& arguments) {
  if (arguments.operands.size() > 2) {
    throw os::UsageError("one file can be written: `epwise config init [FILE]`");
  }
  const std::string path = arguments.operands.size() == 2 ? arguments.operands[1] : ".epwise.yaml";
  const std::string exists =
      fmt::format("{} exists: `epwise config check` checks it, an editor changes it", path);
  if (console.files.is_file(path)) {
    throw os::UsageError(exists);
  }
  std::vector<InitRow> rows = given_rows(arguments);
  const auto empty = [](const InitRow& row) { return row.text.empty(); };
  const bool asks = std::ranges::all_of(rows, empty);
  if (asks && !can_ask(console, arguments)) {
    throw os::UsageError(
        "nothing to write: give at least one setting, for example `epwise config init --hw h100 "
        "--gpus 64 --stack nemo-26.06`, or answer questions on a terminal");
  }
  if (asks && !ask_rows(rows, console)) {
    console.err << "epwise: nothing was written\n";
    return ExitCode::clean;
  }
  const std::string text = file_text(rows);
  if (const std::string wrong = problem_of(path, text, console); !wrong.empty()) {
    throw os::UsageError(wrong);
  }
  if (!console.files.create_atomically(path, text)) {
    throw os::UsageError(exists);
  }
  console.out << "written: " << path << '\n';
  return ExitCode::clean;
}

}  // namespace epwise::cli
