#include "support/scenario.h"

#include <stdexcept>
#include <utility>

#include "session/settings/recipe_header.h"
#include "support/app_run.h"

namespace epwise::support {

namespace {

constexpr std::string_view kSection = "--- ";

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool starts(std::string_view name, std::string_view kind, std::string& rest) {
  if (!name.starts_with(kind)) {
    return false;
  }
  rest = name.substr(kind.size());
  return true;
}

/// Where the text of a section goes; null pointer for sections that are one line.
std::string* open_section(std::string_view name, Scenario& scenario) {
  std::string rest;
  if (name == "stdout") {
    return &scenario.expected.out;
  }
  if (name == "stderr") {
    return &scenario.expected.err;
  }
  if (name == "stdin") {
    return &scenario.input;
  }
  if (starts(name, "exit ", rest)) {
    scenario.expected.code = std::stoi(rest);
    return nullptr;
  }
  if (starts(name, "forbidden ", rest)) {
    scenario.forbidden.push_back(rest);
    return nullptr;
  }
  auto& list = starts(name, "written ", rest) ? scenario.expected.written : scenario.files;
  list.emplace_back(rest.empty() ? std::string(name) : rest, "");
  return &list.back().second;
}

/// A line that would open a section, a diff's for one, stands behind a backslash.
bool is_shielded(std::string_view line) {
  const std::size_t start = line.find_first_not_of('\\');
  return start != std::string_view::npos && line.substr(start).starts_with(kSection);
}

std::string section(std::string_view name, std::string_view text) {
  std::string result = std::string(kSection) + std::string(name) + "\n";
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    result.append(is_shielded(line) ? "\\" : "").append(line).append("\n");
  }
  return result;
}

}  // namespace

Scenario parse_scenario(std::string_view text) {
  Scenario scenario;
  while (text.starts_with('#')) {
    scenario.comment.append(next_line(text)).append("\n");
  }
  if (scenario.comment.empty() || !text.starts_with("$ ")) {
    throw std::invalid_argument("a scenario starts with a comment and a `$ ` line");
  }
  scenario.command = next_line(text).substr(2);
  std::string* target = nullptr;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.starts_with(kSection)) {
      target = open_section(line.substr(kSection.size()), scenario);
    } else if (target != nullptr) {
      target->append(line.substr(is_shielded(line) ? 1 : 0)).append("\n");
    } else {
      throw std::invalid_argument("text outside of a section: " + std::string(line));
    }
  }
  return scenario;
}

std::string to_text(const Scenario& scenario, const Scenario::Outcome& outcome) {
  std::string text = scenario.comment + "$ " + scenario.command + "\n";
  for (const auto& [name, content] : scenario.files) {
    text += section(name, content);
  }
  if (!scenario.input.empty()) {
    text += section("stdin", scenario.input);
  }
  for (const std::string& path : scenario.forbidden) {
    text += section("forbidden " + path, "");
  }
  if (!outcome.out.empty()) {
    text += section("stdout", outcome.out);
  }
  if (!outcome.err.empty()) {
    text += section("stderr", outcome.err);
  }
  for (const auto& [path, content] : outcome.written) {
    text += section("written " + path, content);
  }
  return text + section("exit " + std::to_string(outcome.code), "");
}

Scenario::Outcome play(const Scenario& scenario) {
  AppRun app;
  for (const auto& [name, content] : scenario.files) {
    app.files.put(name, content);
  }
  app.files.forbidden = {scenario.forbidden.begin(), scenario.forbidden.end()};
  app.input = scenario.input;
  app.variables["LANG"] = "C.UTF-8";
  std::vector<std::string> words = cli::split_words(scenario.command);
  while (!words.empty() && words.front() != "epwise") {
    const std::size_t equals = words.front().find('=');
    if (equals == std::string::npos) {
      throw std::invalid_argument("a scenario runs epwise: " + scenario.command);
    }
    app.variables[words.front().substr(0, equals)] = words.front().substr(equals + 1);
    words.erase(words.begin());
  }
  words.erase(words.begin());
  Scenario::Outcome outcome;
  outcome.code = app.run(words);
  outcome.out = app.out;
  outcome.err = app.err;
  for (const MemoryFiles::Write& write : app.files.writes) {
    outcome.written.emplace_back(write.path, write.content);
  }
  return outcome;
}

}  // namespace epwise::support
