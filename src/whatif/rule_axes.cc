#include "whatif/rule_axes.h"

#include <string_view>

namespace epwise::whatif {

namespace {

/// "hw.cc" → "hw", "stack.te" → "te", "gpus" → "gpus"; "" for names that no axis stands for.
std::string_view axis_of(std::string_view name) {
  for (const std::string_view prefix : {"stack.", "installed."}) {
    if (name.starts_with(prefix)) {
      return name.substr(prefix.size());
    }
  }
  if (name.starts_with("hw.")) {
    return "hw";
  }
  return name == "gpus" ? name : std::string_view();
}

}  // namespace

RuleAxes::RuleAxes(const Question& question,
                   recipe::Framework framework,
                   const std::vector<const recipe::Vocabulary*>& vocabularies)
    : question_(question),
      own_(question.knowledge.rules.size()) {
  const lint::Influence influence(question.knowledge, framework, "", vocabularies);
  const auto& names = question.knowledge.names;
  for (std::size_t i = 0; i < question.axes.size(); ++i) {
    const auto& axis = question.axes[i].name;
    const Axes bit = Axes{1} << i;
    if (axis == recipe::to_string(framework) ||
        (framework == recipe::Framework::mlm && axis == "mcore")) {
      always_ |= bit;
    }
    for (int slot = 0; slot < names.size(); ++slot) {
      if (axis_of(names.name(slot)) == axis) {
        for (const int rule : influence.readers(slot)) {
          own_[static_cast<std::size_t>(rule)] |= bit;
        }
      }
    }
  }
}

Axes RuleAxes::of(const lint::Rule& rule) const {
  Axes axes = always_ | own_[static_cast<std::size_t>(&rule - question_.knowledge.rules.data())];
  for (const auto premise : rule.premises) {
    axes |= own_[static_cast<std::size_t>(premise)];
  }
  return axes;
}

}  // namespace epwise::whatif
