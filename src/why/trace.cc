#include "why/trace.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lint/field_spelling.h"
#include "lint/itinerary.h"
#include "lint/launch_run.h"
#include "lint/range.h"
#include "recipe/framework.h"
#include "units/version.h"
#include "why/watch.h"

namespace epwise::why {

namespace {

using expr::Value;

/// What the launch writes, as it happens.
class Recorder final : public lint::LaunchEvents {
 public:
  Recorder(const lint::Knowledge& knowledge,
           const model::Facts& facts,
           std::map<int, std::vector<Step>>& rewrites)
      : facts_(facts),
        rewrites_(rewrites) {
    const auto framework = recipe::to_string(facts.recipe().framework);
    for (const auto& pipeline : knowledge.pipelines) {
      if (pipeline.framework == framework) {
        remember(pipeline);
      }
    }
  }

  void failed(const lint::Rule& /*rule*/, int /*step*/, const std::string& /*crash*/) override {}

  void open(const lint::Rule& /*rule*/, const std::vector<std::string>& /*needs*/) override {}

  bool wants(const lint::Rule& /*rule*/) const override { return false; }

  void rewrote(const lint::RewriteStep& step, const lint::Stage& stage) override {
    if (step.slot >= 0) {
      compare(step.slot, step, stage);
      return;
    }
    const auto prefix = std::string(step.section) + ".";
    for (int slot = 0; slot < facts_.names().size(); ++slot) {
      if (facts_.names().name(slot).starts_with(prefix)) {
        compare(slot, step, stage);
      }
    }
  }

 private:
  void remember(const lint::Pipeline& pipeline) {
    std::set<std::string> sections;
    for (const auto& stage : pipeline.stages) {
      for (const auto& step : stage.rewrites) {
        if (step.slot >= 0) {
          last_[step.slot] = facts_.value(step.slot);
        } else {
          sections.insert(std::string(step.section));
        }
      }
    }
    for (int slot = 0; slot < facts_.names().size(); ++slot) {
      const auto name = facts_.names().name(slot);
      if (sections.contains(std::string(name.substr(0, name.find('.'))))) {
        last_[slot] = facts_.value(slot);
      }
    }
  }

  void compare(int slot, const lint::RewriteStep& step, const lint::Stage& stage) {
    const auto& now = facts_.value(slot);
    auto& before = last_[slot];
    if (before == now) {
      return;
    }
    before = now;
    Step made;
    made.kind = Step::Kind::rewritten;
    made.value = now;
    made.by = stage.name;
    made.why = step.why;
    if (!stage.source.empty()) {
      const std::string source(stage.source.substr(0, stage.source.find(' ')));
      made.upstream = source + ":" + std::to_string(step.order);
    }
    rewrites_[slot].push_back(std::move(made));
  }

  const model::Facts& facts_;
  std::map<int, std::vector<Step>>& rewrites_;
  std::map<int, Value> last_;
};

Step::Kind kind_of(recipe::Origin origin) {
  switch (origin) {
    case recipe::Origin::written:
      return Step::Kind::written;
    case recipe::Origin::override_word:
      return Step::Kind::replaced;
    case recipe::Origin::environment:
      return Step::Kind::environment;
    case recipe::Origin::framework_default:
      break;
  }
  return Step::Kind::standard;
}

}  // namespace

std::string_view to_string(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::standard:
      return "default";
    case Step::Kind::written:
      return "written";
    case Step::Kind::replaced:
      return "override";
    case Step::Kind::environment:
      return "environment";
    case Step::Kind::target:
      return "target";
    case Step::Kind::rewritten:
      return "rewritten";
    case Step::Kind::unsaid:
      break;
  }
  return "unsaid";
}

Tracer::Tracer(const recipe::Recipe& recipe,
               const recipe::Vocabulary& vocabulary,
               const model::Target& target,
               const lint::Knowledge& knowledge)
    : recipe_(recipe),
      vocabulary_(vocabulary),
      target_(target),
      knowledge_(knowledge),
      facts_(recipe, vocabulary, target, knowledge.names, knowledge.derived) {
  Recorder recorder(knowledge, facts_, rewrites_);
  std::set<std::string_view> reported;
  for (const auto& diagnostic : recipe.diagnostics) {
    reported.insert(diagnostic.rule);
  }
  const auto itinerary = lint::plan(knowledge, recipe, vocabulary);
  lint::run_launch(itinerary, facts_, reported, recorder);
}

Trace Tracer::trace(const std::string& key) const {
  std::vector<std::string> shown;
  return trace(key, shown);
}

Trace Tracer::trace(const std::string& key, std::vector<std::string>& shown) const {
  if (const auto* derived = derived_of(key)) {
    return derived_trace(*derived, shown);
  }
  Trace trace;
  trace.key = key;
  trace.name = name_of(key);
  const int slot = knowledge_.names.find(key);
  add_target_steps(key, trace);
  if (trace.steps.empty()) {
    add_field_steps(key, trace);
  }
  if (const auto made = rewrites_.find(slot); made != rewrites_.end()) {
    trace.steps.insert(trace.steps.end(), made->second.begin(), made->second.end());
  }
  trace.value = slot >= 0 ? facts_.value(slot) : trace.steps.back().value;
  return trace;
}

Trace Tracer::derived_trace(const model::Derived& derived, std::vector<std::string>& shown) const {
  const auto& names = knowledge_.names;
  const auto& expression = derived.expression;
  if (expression.nodes.size() == 1 && expression.nodes.front().op == expr::Op::name) {
    return trace(std::string(names.name(expression.nodes.front().slot)), shown);
  }
  Trace trace;
  trace.key = derived.name;
  trace.name = lint::spelling(derived.name, facts_);
  trace.value = facts_.value(derived.slot);
  trace.doc = derived.doc;
  trace.formula = derived.text;
  trace.above = std::ranges::find(shown, trace.key) != shown.end();
  if (trace.above) {
    return trace;
  }
  shown.push_back(trace.key);
  Watch watch(facts_);
  expr::evaluate(expression, watch);
  add_remainders(derived, trace);
  if (trace.key == "stack.mcore") {
    add_pin(trace);
  }
  for (const int slot : watch.read()) {
    trace.inputs.push_back(this->trace(std::string(names.name(slot)), shown));
  }
  return trace;
}

/// The rule that a value rests on, else one that asks for the same division without a rest.
void Tracer::add_remainders(const model::Derived& derived, Trace& trace) const {
  const auto framework = recipe::to_string(recipe_.framework);
  for (auto& remainder : remainders(derived.expression, derived.text, facts_)) {
    Inexact inexact;
    for (const auto index : derived.premises) {
      inexact.rule = &knowledge_.rules[static_cast<std::size_t>(index)];
    }
    for (const auto& rule : knowledge_.rules) {
      const bool same = rule.assert_text == remainder.modulo + " == 0";
      if (inexact.rule == nullptr && same &&
          lint::holds(rule.versions, framework, vocabulary_.version())) {
        inexact.rule = &rule;
      }
    }
    inexact.rejects = inexact.rule != nullptr &&
                      std::ranges::find(inexact.rule->places, framework, &lint::Place::framework) !=
                          inexact.rule->places.end();
    inexact.remainder = std::move(remainder);
    trace.inexact.push_back(std::move(inexact));
  }
}

/// Where it is known from which Megatron-Core a release of Bridge brings.
void Tracer::add_pin(Trace& trace) const {
  const auto bridge = facts_.value(knowledge_.names.find("stack.bridge")).to_text();
  const auto& pins = knowledge_.tables.pins;
  const auto pin = std::ranges::find_if(pins, [&](const lint::Pin& each) {
    return units::Version::parse(each.bridge) == units::Version::parse(bridge);
  });
  if (pin != pins.end()) {
    trace.steps.push_back({Step::Kind::target,
                           trace.value,
                           {},
                           "what Megatron-Bridge " + bridge + " pins: " + std::string(pin->source),
                           {},
                           {}});
  }
}

std::string Tracer::name_of(const std::string& key) const {
  constexpr std::string_view kArgument = "mlm.";
  const std::string name = lint::value_name(key, facts_);
  return name.starts_with(kArgument) ? name.substr(kArgument.size()) : name;
}

const model::Derived* Tracer::derived_of(const std::string& key) const {
  const auto framework = recipe::to_string(recipe_.framework);
  if (key.starts_with("stack.") && target_.stack.find(key.substr(6)) != nullptr) {
    return nullptr;  // somebody said it
  }
  for (const auto& derived : knowledge_.derived) {
    if (derived.name == key && (derived.frameworks.empty() || derived.frameworks == framework)) {
      return &derived;
    }
  }
  return nullptr;
}

void Tracer::add_field_steps(const std::string& key, Trace& trace) const {
  const auto* spec = vocabulary_.find(key);
  const auto* field = recipe_.find(spec == nullptr ? std::string_view(key) : spec->name);
  const std::string version =
      std::string(recipe::title(recipe_.framework)) + " " + std::string(vocabulary_.version());
  if (field == nullptr && recipe_.raw.contains("raw.unwritten")) {
    trace.steps.push_back({Step::Kind::unsaid, {}, {}, "not written here", {}, {}});
    return;
  }
  const auto dot = key.find('.');
  const bool no_section = recipe_.framework == recipe::Framework::bridge &&
                          dot != std::string::npos && field == nullptr &&
                          !facts_.has_section(key.substr(0, dot)).truthy();
  if (no_section) {
    trace.steps.push_back(
        {Step::Kind::unsaid, {}, {}, "there is no section " + key.substr(0, dot), {}, {}});
    return;
  }
  if (spec != nullptr) {
    trace.steps.push_back({Step::Kind::standard, spec->default_value, {}, version, {}, {}});
    if (!spec->has_default) {
      trace.steps.back() = {Step::Kind::unsaid, {}, {}, version + " has no default", {}, {}};
    }
  }
  if (field != nullptr) {
    trace.steps.push_back({kind_of(field->origin), field->value, field->mark, {}, {}, {}});
  }
  if (trace.steps.empty()) {
    trace.steps.push_back({Step::Kind::unsaid, {}, {}, version + " has no such field", {}, {}});
  }
}

Tracer::Source Tracer::source_of_variable(const std::string& name) const {
  if (target_.environment.contains(name)) {
    return {Step::Kind::target, "--env", {}};
  }
  const auto variable = recipe_.variables.find(name);
  return variable != recipe_.variables.end()
             ? Source{Step::Kind::written, "", variable->second.mark}
             : Source{Step::Kind::unsaid, "counts as unset", {}};
}

void Tracer::add_target_steps(const std::string& key, Trace& trace) const {
  const int slot = knowledge_.names.find(key);
  const auto add = [&](Step::Kind kind, const std::string& by, const text::Mark& mark = {}) {
    trace.steps.push_back({kind, slot < 0 ? Value::unset() : facts_.value(slot), mark, by, {}, {}});
  };
  const auto option = [&](const std::string& source) {
    add(source.empty() ? Step::Kind::unsaid : Step::Kind::target, source);
  };
  if (key == "gpus") {
    option(target_.gpus_source);
  } else if (key.starts_with("hw.")) {
    option(target_.hw == nullptr ? "" : target_.hw_source + " " + target_.hw->name);
  } else if (key.starts_with("stack.")) {
    const auto* component = target_.stack.find(key.substr(6));
    const bool own = key.substr(6) == recipe::to_string(recipe_.framework);
    option(component != nullptr ? component->source : own ? "the newest that epwise knows" : "");
  } else if (key.starts_with("env.")) {
    const auto [kind, by, mark] = source_of_variable(key.substr(4));
    add(kind, by, mark);
  } else if (key == "purpose") {
    option(target_.purpose ? "--purpose" : "");
  } else if (key.starts_with("harness.")) {
    option(target_.harness.contains(key.substr(8)) ? "--harness" : "");
  } else if (key == "fw" || key == "model_class" || key.starts_with("raw.") ||
             key.starts_with("installed.")) {
    add(Step::Kind::written, "the recipe itself");
  }
}

}  // namespace epwise::why
