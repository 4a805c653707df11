/// Every clause of a rule's condition is seen true and seen false by the rule's own examples.
/// clauses_unseen.txt counts by rule what is not; it may only shrink: whoever writes a rule gives
/// it examples that show all of it. EPWISE_UPDATE_GOLDEN=1 writes the list anew.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "lint/facts/facts.h"
#include "lint/knowledge.h"
#include "lint/launch_plan.h"
#include "lint/launch_run.h"
#include "support/bare_knowledge.h"
#include "support/example_target.h"
#include "support/sampling.h"
#include "support/source_tree.h"

namespace {

using epwise::expr::Expression;
using epwise::expr::Op;
using epwise::lint::Rule;

constexpr const char* kList = "tests/clauses_unseen.txt";

/// A part of a condition that is no `&&`, `||` or `!` itself.
struct Clause {
  std::string text;
  Expression expression;
  bool seen_true = false;
  bool seen_false = false;
};

/// One line of a condition that may stand on several.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!line.empty() && line.back() != ' ')) {
      line += blank ? ' ' : c;
    }
  }
  return line;
}

/// Children stand before their node, so that a part of the nodes is an expression too.
void add_clauses(const Expression& whole,
                 std::size_t node,
                 std::string_view text,
                 std::vector<Clause>& clauses) {
  const auto& root = whole.nodes[node];
  if (root.op == Op::logical_and || root.op == Op::logical_or || root.op == Op::logical_not) {
    for (std::int32_t i = 0; i < root.count; ++i) {
      const auto child = whole.children[static_cast<std::size_t>(root.first + i)];
      add_clauses(whole, static_cast<std::size_t>(child), text, clauses);
    }
    return;
  }
  if (root.op == Op::literal) {
    return;  // `true`
  }
  clauses.push_back(
      {on_one_line(text.substr(root.begin, root.end - root.begin)), whole.part(node)});
}

std::vector<Clause> clauses_of(const Rule& rule) {
  std::vector<Clause> clauses;
  for (const auto& [expression, text] :
       {std::pair(&rule.given, rule.given_text), std::pair(&rule.assertion, rule.assert_text)}) {
    if (!expression->empty()) {
      add_clauses(*expression, expression->nodes.size() - 1, text, clauses);
    }
  }
  return clauses;
}

/// Looks at the clauses whenever the launch comes to the rule.
class Watcher final : public epwise::lint::LaunchEvents {
 public:
  Watcher(const Rule& rule, const epwise::facts::Facts& facts, std::vector<Clause>& clauses)
      : rule_(rule),
        facts_(facts),
        clauses_(clauses) {}

  bool wants(const Rule& rule) const override {
    if (&rule == &rule_) {
      look();
    }
    return false;
  }

  void failed(const Rule& /*rule*/, int /*step*/, const std::string& /*crash*/) override {}

  void open(const Rule& /*rule*/, const std::vector<std::string>& /*needs*/) override {}

  void look() const {
    for (auto& clause : clauses_) {
      const auto value = epwise::expr::evaluate(clause.expression, facts_);
      if (value.is_known() && !value.is_crash()) {
        (value.truthy() ? clause.seen_true : clause.seen_false) = true;
      }
    }
  }

 private:
  const Rule& rule_;
  const epwise::facts::Facts& facts_;
  std::vector<Clause>& clauses_;
};

/// Nothing judges the example before the launch that is watched.
void watch(const Rule& rule, const epwise::lint::Example& example, std::vector<Clause>& clauses) {
  const auto linted =
      epwise::test::lint_text(example.recipe, example.arguments, epwise::support::bare_knowledge());
  for (const auto& recipe : linted.recipes) {
    if (!recipe->readable) {
      continue;
    }
    const auto& vocabulary = recipe->vocabulary_or(*linted.vocabulary);
    epwise::facts::Facts facts(*recipe,
                               vocabulary,
                               linted.target->target,
                               epwise::test::knowledge().names,
                               epwise::test::knowledge().derived);
    const auto itinerary =
        epwise::lint::plan_for_release(epwise::test::knowledge(), *recipe, vocabulary);
    Watcher watcher(rule, facts, clauses);
    epwise::lint::run_launch(itinerary, facts, {}, watcher);
    if (std::ranges::find(itinerary.rest, &rule) != itinerary.rest.end()) {
      watcher.look();
    }
  }
}

/// By rule what its examples never show: "never true: d.EP > 1".
std::map<std::string, std::vector<std::string>> unseen(int step) {
  std::map<std::string, std::vector<std::string>> found;
  int number = 0;
  for (const auto& rule : epwise::test::knowledge().rules) {
    if (rule.builtin || ++number % step != 0) {
      continue;
    }
    auto clauses = clauses_of(rule);
    for (const auto& example : rule.prose->examples) {
      watch(rule, example, clauses);
    }
    for (const auto& clause : clauses) {
      if (!clause.seen_true) {
        found[std::string(rule.id)].push_back("never true: " + clause.text);
      }
      if (!clause.seen_false) {
        found[std::string(rule.id)].push_back("never false: " + clause.text);
      }
    }
  }
  return found;
}

/// "overlap/expert-ranks 2": as many as that are known to be missing.
std::map<std::string, std::size_t> counts_of(const std::string& list) {
  std::map<std::string, std::size_t> counts;
  for (const auto& line : epwise::support::lines_of(list)) {
    const auto blank = line.find(' ');
    counts[line.substr(0, blank)] = std::stoul(line.substr(blank + 1));
  }
  return counts;
}

}  // namespace

TEST_CASE("the examples of a rule see each of its clauses true and false") {
  constexpr int kStep = epwise::test::sanitized_share(20);
  const auto found = unseen(kStep);
  epwise::os::DiskFiles files;
  if (std::getenv("EPWISE_UPDATE_GOLDEN") != nullptr) {
    std::string list;
    for (const auto& [id, clauses] : found) {
      list += id + " " + std::to_string(clauses.size()) + "\n";
    }
    files.write_atomically(kList, list);
  }
  auto known = counts_of(files.read(kList, std::size_t{1} << 20));
  for (const auto& entry : found) {
    std::string clauses;
    for (const auto& clause : entry.second) {
      clauses += "\n  " + clause;
    }
    const std::size_t listed = known[entry.first];
    CHECK_MESSAGE(entry.second.size() == listed,
                  entry.first << ": its examples do not show these, " << std::string(kList)
                              << " says " << listed << ":" << clauses);
    known.erase(entry.first);
  }
  for (const auto& entry : known) {
    CHECK_MESSAGE((kStep > 1 || entry.second == 0),
                  entry.first << " shows all by now: take it out of " << kList);
  }
}
