#include "recipe/shell/conditions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex.h>

#include "base/text/ascii.h"
#include "recipe/shell/arithmetic.h"
#include "recipe/shell/pattern.h"
#include "recipe/shell/words.h"

namespace epwise::shell {

namespace {

Truth truth_of_test(const std::vector<Word>& words, Expansion& expansion) {
  std::vector<Field> fields;
  bool compares = false;
  for (const Word& word : words) {
    fields.push_back(compares ? expansion.pattern(word) : expansion.field(word));
    compares = word.plain() == "==" || word.plain() == "!=" || word.plain() == "=";
  }
  return evaluate_test(fields, expansion, true);
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
  return text::is_one_of(name, kNames);
}

bool declares(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {
      "export", "declare", "local", "readonly", "typeset"};
  return text::is_one_of(name, kNames);
}

namespace {

constexpr int kMaxTestDepth = 40;

bool is_unbound(const Field& field) {
  return field.pieces.size() == 1 && field.pieces.front().unbound;
}

bool is_binary(std::string_view word) {
  constexpr std::array<std::string_view, 15> kOperators = {"==",
                                                           "=",
                                                           "!=",
                                                           "=~",
                                                           "<",
                                                           ">",
                                                           "-eq",
                                                           "-ne",
                                                           "-lt",
                                                           "-le",
                                                           "-gt",
                                                           "-ge",
                                                           "-ef",
                                                           "-nt",
                                                           "-ot"};
  return std::find(kOperators.begin(), kOperators.end(), word) != kOperators.end();
}

Truth both(const Truth& a, const Truth& b) {
  if (a.no() || b.no()) {
    return Truth::of(false);
  }
  if (a.yes() && b.yes()) {
    return Truth::of(true);
  }
  Truth result = a.open() ? a : b;
  add_needs(b.needs, result.needs);
  return result;
}

/// Whether an extended regular expression matches a part of a text; nullopt for expressions that are
/// not plain enough to be matched in little time.
std::optional<bool> matches_expression(const Field& expression, const std::string& text) {
  constexpr std::size_t kMostPattern = 128;
  constexpr std::size_t kMostText = 1024;
  const std::string pattern = expression.text();
  // What is quoted matches literally; braces and references to groups may take long.
  const bool plain =
      std::ranges::none_of(expression.pieces, &Piece::quoted) ||
      std::ranges::all_of(pattern, [](char c) { return text::is_letter_or_digit(c); });
  if (!plain || pattern.size() > kMostPattern || text.size() > kMostText ||
      pattern.find_first_of("{\\") != std::string::npos) {
    return std::nullopt;
  }
  regex_t compiled;
  if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    return std::nullopt;
  }
  const int result = regexec(&compiled, text.c_str(), 0, nullptr, 0);
  regfree(&compiled);
  return result == 0 || result == REG_NOMATCH ? std::optional(result == 0) : std::nullopt;
}

std::optional<bool> test_numbers(std::string_view operation, std::int64_t a, std::int64_t b) {
  if (operation == "-eq") {
    return a == b;
  }
  if (operation == "-ne") {
    return a != b;
  }
  if (operation == "-lt") {
    return a < b;
  }
  if (operation == "-le") {
    return a <= b;
  }
  if (operation == "-gt") {
    return a > b;
  }
  return operation == "-ge" ? std::optional<bool>(a >= b) : std::nullopt;
}

class Test {
 public:
  Test(const std::vector<Field>& words, const Expansion& expansion, bool patterns)
      : words_(words),
        expansion_(expansion),
        patterns_(patterns) {}

  Truth run() {
    if (words_.empty()) {
      return Truth::of(false);
    }
    const Truth result = either();
    return at_ == words_.size() ? result : Truth{};
  }

 private:
  bool sees(std::string_view text) const {
    return at_ < words_.size() && words_[at_].known() && words_[at_].text() == text;
  }

  bool take(std::string_view text) {
    const bool found = sees(text);
    at_ += found ? 1 : 0;
    return found;
  }

  Truth either() {
    Truth result = all();
    while (take("||") || take("-o")) {
      result = both(result.negated(), all().negated()).negated();
    }
    return result;
  }

  Truth all() {
    Truth result = one();
    while (take("&&") || take("-a")) {
      result = both(result, one());
    }
    return result;
  }

  Truth one() {
    if (++depth_ > kMaxTestDepth) {
      at_ = words_.size();
      return {};
    }
    Truth result;
    if (words_.size() - at_ > 1 && take("!")) {
      result = one().negated();
    } else if (at_ + 2 < words_.size() && is_binary(words_[at_ + 1].text())) {
      result = binary();
    } else if (take("(")) {
      result = either();
      take(")");
    } else {
      result = unary();
    }
    --depth_;
    return result;
  }

  Truth binary() {
    const Field& left = words_[at_];
    const std::string operation = words_[at_ + 1].text();
    const Field& right = words_[at_ + 2];
    at_ += 3;
    Truth unknown{Truth::Kind::unknown, left.needs()};
    add_needs(right.needs(), unknown.needs);
    if (!left.known() || !right.known()) {
      return unknown;
    }
    const std::string a = left.text();
    const std::string b = right.text();
    if (operation == "==" || operation == "=" || operation == "!=") {
      const bool equal = patterns_ ? fits(b, a) : a == b;
      return Truth::of(equal == (operation != "!="));
    }
    if (operation == "=~") {
      const auto matched = matches_expression(right, a);
      return matched ? Truth::of(*matched) : unknown;
    }
    const auto first = number(a);
    const auto second = number(b);
    const auto result =
        first && second ? test_numbers(operation, *first, *second) : std::optional<bool>();
    return result ? Truth::of(*result) : unknown;
  }

  /// Between `[[` and `]]`, a word next to `-eq` is an expression: a name stands for its number.
  std::optional<std::int64_t> number(const std::string& text) const {
    return patterns_ ? expansion_.calculate(text) : whole_number(text);
  }

  Truth is_set(const Field& name) const {
    const std::string text = name.text();
    const Looked looked = expansion_.look_up(text);
    const bool known = name.known() && name_length(text, 0) == text.size() && !looked.list;
    if (known && looked.state == Looked::State::set &&
        std::ranges::all_of(looked.fields, &Field::known)) {
      return Truth::of(true);
    }
    return known && looked.state == Looked::State::unset
               ? Truth::of(false)
               : Truth{Truth::Kind::unknown, {need_of(text)}};
  }

  Truth unary() {
    if (at_ >= words_.size()) {
      return {};
    }
    const Field& word = words_[at_++];
    const std::string operation = word.known() ? word.text() : std::string();
    const bool operates = operation.size() == 2 && operation.front() == '-' &&
                          at_ < words_.size() && !sees("&&") && !sees("||") && !sees(")");
    if (!operates) {
      return word.known() ? Truth::of(!word.text().empty())
                          : Truth{Truth::Kind::unknown, word.needs()};
    }
    const Field& operand = words_[at_++];
    if (operation == "-v") {
      return is_set(operand);
    }
    if (operation == "-z" || operation == "-n") {
      const bool empty = operation == "-z";
      if (is_unbound(operand)) {
        return Truth::of(empty);
      }
      return operand.known() ? Truth::of(operand.text().empty() == empty)
                             : Truth{Truth::Kind::unknown, operand.needs()};
    }
    return {Truth::Kind::unknown, {"[ " + operation + " " + operand.text() + " ]"}};
  }

  const std::vector<Field>& words_;
  const Expansion& expansion_;
  bool patterns_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Truth evaluate_test(const std::vector<Field>& words, const Expansion& expansion, bool patterns) {
  return Test(words, expansion, patterns).run();
}

}  // namespace epwise::shell
