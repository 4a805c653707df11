// rules/README.md tells authors the language: each of its examples, and its table of functions.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "expr/expression.h"
#include "expr/functions.h"
#include "support/source_tree.h"
#include "unit/expr/map_environment.h"

namespace epwise::expr {

namespace {

using support::lines_of;

constexpr std::string_view kArrow = " → ";
constexpr std::string_view kRefusal = " ✗ ";

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// The lines from "## The language" to the next heading of that level.
std::vector<std::string> section() {
  const std::vector<std::string> all = lines_of(os::DiskFiles().read("rules/README.md"));
  const auto begin = std::find(all.begin(), all.end(), "## The language");
  REQUIRE(begin != all.end());
  const auto end = std::find_if(
      begin + 1, all.end(), [](const std::string& line) { return line.starts_with("## "); });
  return {begin, end};
}

/// The cells of a table's row, `\|` read as a bar: "| `a` | b |" → {"`a`", "b"}.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|') {
      found.push_back(trimmed(cell));
      cell.clear();
    } else {
      if (line.compare(i, 2, "\\|") == 0) {
        ++i;
      }
      cell += line[i];
    }
  }
  return found;
}

/// The rows of the table that has this first line.
std::vector<std::vector<std::string>> table(const std::string& head) {
  const std::vector<std::string> lines = section();
  std::vector<std::vector<std::string>> rows;
  auto line = std::find(lines.begin(), lines.end(), head);
  REQUIRE_MESSAGE(line != lines.end(), head);
  for (line += 2; line != lines.end() && line->starts_with("|"); ++line) {
    rows.push_back(cells(*line));
  }
  return rows;
}

std::string without_ticks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
  return text;
}

/// A value as the language writes it.
std::string shown_in_readme(const Value& value) {
  if (const Unknown* unknown = value.unknown()) {
    std::string needs;
    for (const std::string& need : unknown->needs) {
      needs += (needs.empty() ? "unknown: " : ", ") + need;
    }
    return needs;
  }
  if (const Value::List* list = value.list()) {
    std::string items;
    for (const Value& item : *list) {
      items += (items.empty() ? "" : ", ") + shown_in_readme(item);
    }
    return "[" + items + "]";
  }
  if (const std::string* text = value.text()) {
    std::string quoted = "\"";
    for (const char c : *text) {
      quoted += c == '\n' ? "\\n" : c == '"' ? "\\\"" : std::string(1, c);
    }
    return quoted + "\"";
  }
  if (value.is_crash()) {
    return "crash: " + value.to_text();
  }
  return value.version() != nullptr ? "v\"" + value.to_text() + "\"" : value.to_text();
}

/// The values that the section's first table gives to names.
class Given : public Environment {
 public:
  explicit Given(Names& names) : names_(names) {
    for (const std::vector<std::string>& row : table("| name | the user wrote | by now |")) {
      REQUIRE(row.size() == 3);
      const std::string name = without_ticks(row[0]);
      now_[name] = read(row[2]);
      sections_.insert(name.substr(0, name.find('.')));
      if (!row[1].empty()) {
        written_[name] = read(row[1]);
      }
    }
  }

  const Value& value(NameSlot slot) const override {
    const auto found = now_.find(names_.name(slot));
    return found == now_.end() ? unset_ : found->second;
  }

  Value written(NameSlot slot) const override {
    const auto found = written_.find(names_.name(slot));
    return found == written_.end() ? unset_ : found->second;
  }

  Value is_explicit(NameSlot slot) const override { return Value::of(is_written(slot)); }

  Value has_section(std::string_view section) const override {
    return Value::of(sections_.find(section) != sections_.end());
  }

  Value origin(NameSlot slot) const override {
    return Value::of(is_written(slot) ? "written" : "default");
  }

  /// What a rule's author may read: the names of the table, as what they hold.
  Scope scope() const {
    return {[this](std::string_view name) { return type_of(name); },
            [this] {
              std::vector<std::string_view> names;
              for (const auto& entry : now_) {
                names.push_back(entry.first);
              }
              return names;
            }};
  }

 private:
  static Value read(const std::string& cell) {
    constexpr std::string_view kUnknown = "unknown: ";
    if (cell.starts_with(kUnknown)) {
      return Value::unknown({cell.substr(kUnknown.size())});
    }
    Names none;
    const Parsed parsed = parse(without_ticks(cell), none);
    REQUIRE_MESSAGE(parsed.problems.empty(), cell);

    return evaluate(parsed.expression, MapEnvironment(none));
  }

  std::optional<Type> type_of(std::string_view name) const {
    const auto found = now_.find(name);
    if (found == now_.end()) {
      return std::nullopt;
    }
    const Value& value = found->second;
    if (value.integer() != nullptr) {
      return Type{.kind = Kind::integer};
    }
    if (value.text() != nullptr) {
      return Type{.kind = Kind::text};
    }
    if (value.list() != nullptr) {
      return Type{.kind = Kind::list};
    }
    return Type{.kind = value.version() != nullptr ? Kind::version : Kind::any};
  }

  bool is_written(NameSlot slot) const {
    return written_.find(names_.name(slot)) != written_.end();
  }

  const Names& names_;
  std::map<std::string, Value, std::less<>> now_;
  std::map<std::string, Value, std::less<>> written_;
  std::set<std::string, std::less<>> sections_;
  Value unset_;
};

/// What the language says to an expression: its value, or why the build refuses it.
std::string answer(const std::string& text) {
  Names names;
  const Given given(names);
  const Parsed parsed = parse(text, names);
  const std::vector<Problem> problems =
      parsed.problems.empty() ? check(parsed.expression, names, given.scope(), Kind::any)
                              : parsed.problems;
  return problems.empty() ? shown_in_readme(evaluate(parsed.expression, given))
                          : "✗ " + problems.front().sentence;
}

void check_example(const std::string& example) {
  CAPTURE(example);
  const auto refusal = example.find(kRefusal);
  const auto arrow = refusal == std::string::npos ? example.find(kArrow) : refusal;
  REQUIRE_MESSAGE(arrow != std::string::npos, "neither → nor ✗");
  const std::string result = trimmed(example.substr(arrow + kArrow.size()));
  CHECK(answer(trimmed(example.substr(0, arrow))) ==
        (refusal == std::string::npos ? result : "✗ " + result));
}

/// "list, [pp]" → {1, 2}; "list or values" stands for any number.
std::pair<int, int> counts(const std::string& arguments) {
  const auto commas = static_cast<int>(std::count(arguments.begin(), arguments.end(), ','));
  const auto optional = static_cast<int>(std::count(arguments.begin(), arguments.end(), '['));
  const bool many = arguments.find(" or values") != std::string::npos;
  return {commas + 1 - optional, many ? 64 : commas + 1};
}

}  // namespace

TEST_CASE("every example in the README gives the result beside it") {
  bool inside = false;
  int examples = 0;
  for (const std::string& line : section()) {
    if (line.starts_with("```")) {
      inside = !inside;
    } else if (inside) {
      check_example(line);
      ++examples;
    }
  }
  CHECK_FALSE(inside);
  CHECK(examples >= 40);
}

TEST_CASE("the README's functions are those of the language, in the same words") {
  const auto rows = table("| function | result | meaning |");
  REQUIRE(rows.size() == functions().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Function& function = functions()[i];
    const std::string arguments(function.arguments);
    REQUIRE(rows[i].size() == 3);
    CHECK(rows[i][0] == "`" + std::string(function.name) + "(" + arguments + ")`");
    CHECK(rows[i][1] == to_string(function.result));
    CHECK(without_ticks(rows[i][2]) == function.summary);
    CHECK(counts(arguments) == std::pair(function.min_arguments, function.max_arguments));
  }
}

TEST_CASE("every function's example gives the result behind it") {
  for (const std::vector<std::string>& row : table("| function | result | meaning |")) {
    CAPTURE(row.front());
    int examples = 0;
    const std::string& meaning = row.back();
    for (auto open = meaning.find('`'); open != std::string::npos;) {
      const auto close = meaning.find('`', open + 1);
      REQUIRE(close != std::string::npos);
      check_example(meaning.substr(open + 1, close - open - 1));
      ++examples;
      open = meaning.find('`', close + 1);
    }
    CHECK(examples > 0);
  }
}

}  // namespace epwise::expr
