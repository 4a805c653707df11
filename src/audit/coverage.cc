#include "audit/coverage.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "lint/range.h"
#include "recipe/framework.h"

namespace epwise::audit {

namespace {

std::string_view group_of(std::string_view code) {
  return code.substr(0, code.find_first_of("0123456789"));
}

RowCount count(const lint::CatalogueGroup& group,
               const std::set<std::string_view>& codes,
               const std::set<std::string_view>& listed) {
  RowCount result;
  for (std::int32_t number = 1; number <= group.rows; ++number) {
    if (std::ranges::find(group.without, number) != group.without.end()) {
      continue;
    }
    const auto code = fmt::format("{}{:03}", group.name, number);
    ++result.rows;
    if (codes.contains(code)) {
      ++result.rules;
    } else if (listed.contains(code)) {
      ++result.listed;
    } else {
      result.missing.push_back(code);
    }
  }
  return result;
}

/// Slots that the rules of one framework version read, with everything behind them.
class Reach {
 public:
  Reach(const lint::Knowledge& knowledge, std::string_view framework, std::string_view version)
      : knowledge_(knowledge),
        framework_(framework) {
    for (const auto& rule : knowledge.rules) {
      if (lint::holds(rule.versions, framework, version)) {
        add(rule.given);
        add(rule.assertion);
      }
    }
    while (!fresh_.empty()) {
      const int slot = fresh_.back();
      fresh_.pop_back();
      follow(slot);
    }
  }

  const std::set<int>& slots() const { return slots_; }

 private:
  void add(const expr::Expression& expression) {
    for (const int slot : expression.names()) {
      if (slots_.insert(slot).second) {
        fresh_.push_back(slot);
      }
    }
  }

  void follow(int slot) {
    for (const auto& derived : knowledge_.derived) {
      if (derived.slot == slot &&
          (derived.frameworks.empty() || derived.frameworks == framework_)) {
        add(derived.expression);
      }
    }
    for (const auto& pipeline : knowledge_.pipelines) {
      if (pipeline.framework != framework_) {
        continue;
      }
      for (const auto& stage : pipeline.stages) {
        for (const auto& step : stage.rewrites) {
          if (step.slot == slot) {
            add(stage.when);
            add(step.when);
            add(step.value);
          }
        }
      }
    }
  }

  const lint::Knowledge& knowledge_;
  std::string_view framework_;
  std::set<int> slots_;
  std::vector<int> fresh_;
};

}  // namespace

Coverage coverage(const lint::Knowledge& knowledge) {
  Coverage result;
  std::set<std::string_view> codes;
  for (const auto& rule : knowledge.rules) {
    codes.insert(rule.code);
    codes.insert(rule.aliases.begin(), rule.aliases.end());
    ++result.by_group[group_of(rule.code)];
    ++result.by_severity[lint::to_string(rule.severity)];
    ++result.by_confidence[lint::to_string(rule.confidence)];
    if (rule.references.empty()) {
      result.without_reference.push_back(&rule);
    }
  }
  std::set<std::string_view> listed;
  for (const auto& row : knowledge.tables.uncovered) {
    result.sites += row.id.empty() ? 1 : 0;
    listed.insert(row.id);
  }
  for (const auto& group : knowledge.tables.catalogue) {
    const auto counted = count(group, codes, listed);
    result.total.rows += counted.rows;
    result.total.rules += counted.rules;
    result.total.listed += counted.listed;
    result.total.missing.insert(
        result.total.missing.end(), counted.missing.begin(), counted.missing.end());
    result.groups[group.name] = counted;
  }
  return result;
}

Parameters parameters(const recipe::Recipe& recipe,
                      const recipe::Vocabulary& vocabulary,
                      const lint::Knowledge& knowledge) {
  const Reach reach(knowledge, recipe::to_string(recipe.framework), vocabulary.version());
  std::set<std::string_view> read;
  for (const int slot : reach.slots()) {
    const auto name = knowledge.names.name(slot);
    const auto* spec = vocabulary.find(name);
    read.insert(spec == nullptr ? name : spec->name);
  }
  Parameters result;
  for (const auto& [name, field] : recipe.fields) {
    if (recipe.sections.find(name) != recipe.sections.end() || name.ends_with("._target_")) {
      continue;  // a section, or the name of its class: no parameter of its own
    }
    ++result.written;
    if (read.contains(name)) {
      ++result.constrained;
    } else {
      const auto section = recipe.framework == recipe::Framework::bridge
                               ? name.substr(0, name.find('.'))
                               : std::string("arguments");
      result.unchecked[section].push_back(field.spelling.empty() ? name : field.spelling);
    }
  }
  return result;
}

}  // namespace epwise::audit
