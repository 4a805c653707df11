#include "shell/conditions.h"

#include <algorithm>
#include <array>

#include "shell/pattern.h"

namespace epwise::shell {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Truth truth_of_test(const std::vector<Word>& words, Expansion& expansion) {
  std::vector<Field> fields;
  bool compares = false;
  for (const Word& word : words) {
    fields.push_back(compares ? expansion.pattern(word) : expansion.field(word));
    compares = word.plain() == "==" || word.plain() == "!=" || word.plain() == "=";
  }
  return evaluate_test(fields, true);
}

}  // namespace

Truth truth_of(const Command& command, Expansion& expansion) {
  if (command.kind == Command::Kind::test) {
    return truth_of_test(command.words, expansion);
  }
  const Field text = expansion.field(command.words.front());
  const auto value = text.known() ? expansion.calculate(text.text()) : std::nullopt;
  return value ? Truth::of(*value != 0) : Truth{Truth::Kind::unknown, text.needs()};
}

Truth matches(const Clause& clause, const Field& subject, Expansion& expansion) {
  Truth result = Truth::of(false);
  for (const Word& word : clause.patterns) {
    if (word.plain() == "*") {
      return Truth::of(true);
    }
    const Field pattern = expansion.pattern(word);
    if (!subject.known() || !pattern.known()) {
      result = {Truth::Kind::unknown, subject.needs()};
      add_needs(pattern.needs(), result.needs);
    } else if (fits(pattern.text(), subject.text())) {
      return Truth::of(true);
    }
  }
  return result;
}

bool succeeds(std::string_view name) {
  constexpr std::array<std::string_view, 16> kNames = {"cd",
                                                       "mkdir",
                                                       "echo",
                                                       "printf",
                                                       "set",
                                                       "shopt",
                                                       "ulimit",
                                                       "pushd",
                                                       "popd",
                                                       "true",
                                                       ":",
                                                       "sleep",
                                                       "touch",
                                                       "trap",
                                                       "module",
                                                       "conda"};
  return is_one_of(name, kNames);
}

bool declares(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {
      "export", "declare", "local", "readonly", "typeset"};
  return is_one_of(name, kNames);
}

}  // namespace epwise::shell
