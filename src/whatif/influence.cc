#include "whatif/influence.h"

#include <algorithm>

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

Influence::Influence(const Question& question,
                     recipe::Framework framework,
                     const std::vector<const recipe::Vocabulary*>& vocabularies)
    : question_(question),
      slots_(static_cast<std::size_t>(question.knowledge.names.size())),
      same_as_(slots_.size(), -1),
      framework_(recipe::to_string(framework)) {
  start(framework_);
  join_aliases(vocabularies);
  const auto& pipelines = question.knowledge.pipelines;
  const auto pipeline = std::ranges::find(pipelines, framework_, &lint::Pipeline::framework);
  while (spread(pipeline == pipelines.end() ? nullptr : &*pipeline)) {
  }
}

void Influence::start(std::string_view framework) {
  const auto& names = question_.knowledge.names;
  for (std::size_t i = 0; i < question_.axes.size(); ++i) {
    const auto& axis = question_.axes[i].name;
    const Axes bit = Axes{1} << i;
    if (axis == framework || (framework == "mlm" && axis == "mcore")) {
      always_ |= bit;
    }
    for (int slot = 0; slot < names.size(); ++slot) {
      if (axis_of(names.name(slot)) == axis) {
        slots_[static_cast<std::size_t>(slot)] |= bit;
      }
    }
  }
}

void Influence::join_aliases(const std::vector<const recipe::Vocabulary*>& vocabularies) {
  const auto& names = question_.knowledge.names;
  for (const auto* vocabulary : vocabularies) {
    for (int slot = 0; slot < names.size(); ++slot) {
      const auto* spec = vocabulary->find(names.name(slot));
      if (spec != nullptr && spec->name != names.name(slot)) {
        same_as_[static_cast<std::size_t>(slot)] = names.find(spec->name);
      }
    }
  }
}

void Influence::add(int slot, Axes axes) {
  auto& known = slots_[static_cast<std::size_t>(slot)];
  if ((known | axes) != known) {
    known |= axes;
    changed_ = true;
  }
}

bool Influence::spread(const lint::Pipeline* pipeline) {
  changed_ = false;
  for (const auto& derived : question_.knowledge.derived) {
    add(derived.slot, reads(derived.expression));
  }
  if (pipeline != nullptr) {
    visit(*pipeline);
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    if (const int same = same_as_[slot]; same >= 0) {
      add(same, slots_[slot]);
      add(static_cast<int>(slot), slots_[static_cast<std::size_t>(same)]);
    }
    const auto name = question_.knowledge.names.name(static_cast<int>(slot));
    const auto section = sections_.find(name.substr(0, name.find('.')));
    if (section != sections_.end()) {
      add(static_cast<int>(slot), section->second);
    }
  }
  return changed_;
}

void Influence::visit(const lint::Pipeline& pipeline) {
  const auto enter = [&](std::string_view name, Axes axes) {
    auto& known = stages_[std::string(name)];
    changed_ = changed_ || (known | axes) != known;
    known |= axes;
    return known;
  };
  for (const auto& stage : pipeline.stages) {
    const Axes entered = enter(stage.name, reads(stage.when));
    for (const auto again : stage.repeats) {
      enter(again, entered);
    }
    for (const auto& step : stage.rewrites) {
      const Axes axes = entered | reads(step.when) | reads(step.value);
      if (step.slot >= 0) {
        add(step.slot, axes);
        continue;
      }
      auto& known = sections_[std::string(step.section)];
      changed_ = changed_ || (known | axes) != known;
      known |= axes;
    }
  }
}

Axes Influence::reads(const expr::Expression& expression) const {
  Axes axes = 0;
  for (const int slot : expression.names()) {
    axes |= slots_[static_cast<std::size_t>(slot)];
  }
  for (const auto& node : expression.nodes) {
    if (node.op == expr::Op::has_section && node.constant >= 0) {
      const auto* text = expression.constants[static_cast<std::size_t>(node.constant)].text();
      const auto section = text == nullptr ? sections_.end() : sections_.find(*text);
      axes |= section == sections_.end() ? 0 : section->second;
    }
  }
  return axes;
}

Axes Influence::own(const lint::Rule& rule) const {
  Axes axes = reads(rule.given) | reads(rule.assertion);
  for (const auto& place : rule.places) {
    const auto stage = stages_.find(place.stage);
    if (place.framework == framework_ && stage != stages_.end()) {
      axes |= stage->second;
    }
  }
  return axes;
}

Axes Influence::of(const lint::Rule& rule) const {
  Axes axes = always_ | own(rule);
  for (const auto premise : rule.premises) {
    axes |= own(question_.knowledge.rules[static_cast<std::size_t>(premise)]);
  }
  return axes;
}

}  // namespace epwise::whatif
