#include "repair/influence.h"

#include <algorithm>
#include <vector>

#include "recipe/framework.h"

namespace epwise::repair {

namespace {

std::string section_name(std::string_view section) {
  return "section(" + std::string(section) + ")";
}

}  // namespace

Influence::Influence(const lint::Knowledge& knowledge, recipe::Framework framework)
    : knowledge_(knowledge) {
  for (const auto& derived : knowledge.derived) {
    depend(std::string(knowledge.names.name(derived.slot)), derived.expression);
  }
  for (const auto& pipeline : knowledge.pipelines) {
    if (pipeline.framework == recipe::to_string(framework)) {
      read_pipeline(pipeline);
    }
  }
}

void Influence::read_pipeline(const lint::Pipeline& pipeline) {
  for (const auto& stage : pipeline.stages) {
    for (const auto& step : stage.rewrites) {
      const std::string written = step.slot >= 0 ? std::string(knowledge_.names.name(step.slot))
                                                 : section_name(step.section);
      for (const auto* expression : {&stage.when, &step.when, &step.value}) {
        depend(written, *expression);
      }
    }
  }
}

Influence::Names Influence::read_by(const expr::Expression& expression) const {
  Names names;
  for (const int slot : expression.names()) {
    names.emplace(knowledge_.names.name(slot));
  }
  for (const auto& node : expression.nodes) {
    if (node.op != expr::Op::has_section || node.constant < 0) {
      continue;
    }
    const auto& constant = expression.constants[static_cast<std::size_t>(node.constant)];
    names.insert(section_name(constant.to_text()));
  }
  return names;
}

void Influence::depend(const std::string& name, const expr::Expression& expression) {
  if (!expression.empty()) {
    from_[name].merge(read_by(expression));
  }
}

const Influence::Names& Influence::causes(const lint::Rule& rule) {
  const auto known = causes_.find(rule.id);
  if (known != causes_.end()) {
    return known->second;
  }
  Names all;
  std::vector<std::string> next;
  const auto add = [&](const Names& names) {
    for (const auto& name : names) {
      if (all.insert(name).second) {
        next.push_back(name);
      }
    }
  };
  for (const auto* expression : {&rule.given, &rule.assertion}) {
    if (!expression->empty()) {
      add(read_by(*expression));
    }
  }
  while (!next.empty()) {
    const std::string name = next.back();
    next.pop_back();
    const auto found = from_.find(name);
    if (found != from_.end()) {
      add(found->second);
    }
  }
  return causes_.emplace(rule.id, std::move(all)).first->second;
}

bool Influence::reaches(const lint::Rule& rule,
                        std::string_view field,
                        const recipe::Vocabulary& vocabulary) {
  if (rule.builtin) {
    return true;
  }
  const Names& names = causes(rule);
  const auto attribute = [&vocabulary](std::string_view name) {
    const auto* spec = vocabulary.find(name);
    return spec == nullptr ? name : spec->name;
  };
  const auto* spec = vocabulary.find(field);
  const std::string_view own = attribute(field);
  const bool whole = field.find('.') == std::string_view::npos;
  return names.contains(field) || names.contains(section_name(field.substr(0, field.find('.')))) ||
         std::ranges::any_of(names, [&](const std::string& name) {
           return (spec != nullptr && attribute(name) == own) ||
                  (whole && name.starts_with(std::string(field) + "."));
         });
}

}  // namespace epwise::repair
