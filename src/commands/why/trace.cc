#include "commands/why/trace.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units/version.h"
#include "commands/explain/suspects.h"
#include "expr/expression.h"
#include "lint/launch_plan.h"
#include "lint/launch_run.h"
#include "lint/rule.h"
#include "lint/spelling_fixes.h"
#include "recipe/framework.h"

namespace epwise::why {

/// Records which names an evaluation actually reads: of `c ? a : b` only the branch that is taken.
class Watch final : public expr::Environment {
 public:
  explicit Watch(const expr::Environment& behind) : behind_(behind) {}

  const expr::Value& value(expr::NameSlot slot) const override {
    note(slot);
    return behind_.value(slot);
  }

  expr::Value written(expr::NameSlot slot) const override {
    note(slot);
    return behind_.written(slot);
  }

  expr::Value is_explicit(expr::NameSlot slot) const override {
    note(slot);
    return behind_.is_explicit(slot);
  }

  expr::Value has_section(std::string_view section) const override {
    return behind_.has_section(section);
  }

  expr::Value origin(expr::NameSlot slot) const override {
    note(slot);
    return behind_.origin(slot);
  }

  /// In the order of first use.
  const std::vector<expr::NameSlot>& read() const { return read_; }

 private:
  void note(expr::NameSlot slot) const {
    for (const auto known : read_) {
      if (known == slot) {
        return;
      }
    }
    read_.push_back(slot);
  }

  const expr::Environment& behind_;
  mutable std::vector<expr::NameSlot> read_;
};

namespace {

using expr::Expression;
using expr::Node;
using expr::Op;

class Search {
 public:
  Search(const Expression& expression, std::string_view text, const expr::Environment& facts)
      : expression_(expression),
        text_(text),
        facts_(facts) {}

  std::vector<Remainder> run() {
    if (!expression_.empty()) {
      visit(static_cast<std::int32_t>(expression_.nodes.size()) - 1);
    }
    return std::move(found_);
  }

 private:
  std::int32_t child(const Node& node, std::int32_t number) const {
    return expression_.children[static_cast<std::size_t>(node.first + number)];
  }

  const Node& at(std::int32_t index) const {
    return expression_.nodes[static_cast<std::size_t>(index)];
  }

  expr::Value value(std::int32_t index) const {
    return expr::evaluate(expression_.part(static_cast<std::size_t>(index)), facts_);
  }

  std::string words(std::int32_t index) const {
    const auto& node = at(index);
    return std::string(text_.substr(node.begin, node.end - node.begin));
  }

  void visit(std::int32_t index) {
    const auto& node = at(index);
    std::int32_t first = 0;
    std::int32_t end = node.count;
    if (node.op == Op::conditional) {
      const auto condition = value(child(node, 0));
      if (!condition.is_known()) {
        return;
      }
      first = condition.truthy() ? 1 : 2;
      end = first + 1;
    }
    for (std::int32_t i = first; i < end; ++i) {
      visit(child(node, i));
    }
    if (node.op == Op::floor_divide) {
      divide(child(node, 0), child(node, 1));
    }
  }

  void divide(std::int32_t left, std::int32_t right) {
    const auto dividend = value(left);
    const auto divisor = value(right);
    const auto* a = dividend.integer();
    const auto* b = divisor.integer();
    if (a == nullptr || b == nullptr || *b == 0 || *a % *b == 0) {
      return;
    }
    const auto over = (*a % *b + *b) % *b;
    const bool grouped = at(right).count > 1;
    found_.push_back({std::to_string(*a),
                      std::to_string(*b),
                      std::to_string(over),
                      words(left) + " % " + (grouped ? "(" + words(right) + ")" : words(right))});
  }

  const Expression& expression_;
  std::string_view text_;
  const expr::Environment& facts_;
  std::vector<Remainder> found_;
};

}  // namespace

std::vector<Remainder> remainders(const expr::Expression& expression,
                                  std::string_view text,
                                  const expr::Environment& facts) {
  return Search(expression, text, facts).run();
}

namespace {

/// Groups of names read by rules besides fields and derived values.
bool is_fact(std::string_view name) {
  for (const std::string_view group : {"hw.", "stack.", "env.", "installed.", "raw.", "harness."}) {
    if (name.starts_with(group)) {
      return true;
    }
  }
  return name == "gpus" || name == "fw" || name == "purpose" || name == "model_class";
}

}  // namespace

std::string Tracer::resolve(std::string_view name) const {
  const auto& names = knowledge_.names;
  std::string own(name);
  if (derived_of(own) != nullptr || (is_fact(name) && names.find(name))) {
    return own;
  }
  if (const auto* spec = vocabulary_.find(name)) {
    return std::string(spec->name);
  }
  if (recipe_.find(name) != nullptr) {
    return own;
  }
  if (auto flag = by_flag(name); !flag.empty()) {
    return flag;
  }
  for (const auto& plain : knowledge_.tables.plain_names) {
    if (plain.name == name) {
      return std::string(names.name(plain.slot));
    }
  }
  if (derived_of("d." + own) != nullptr) {
    return "d." + own;
  }
  if (names.find("stack." + own)) {
    return "stack." + own;
  }
  if (names.find("env." + own) || recipe_.variables.contains(own)) {
    return "env." + own;
  }
  return by_last_part(name);
}

std::string Tracer::by_flag(std::string_view name) const {
  if (const auto* flag = vocabulary_.flag(name)) {
    const auto* spec = vocabulary_.find_attribute(flag->attribute);
    return spec == nullptr ? std::string() : std::string(spec->name);
  }
  const auto* spec = vocabulary_.find_attribute(name);
  return spec == nullptr ? std::string() : std::string(spec->name);
}

/// num_moe_experts → model.num_moe_experts. A field in several sections means the model's, or the
/// one that the recipe writes.
std::string Tracer::by_last_part(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& spec : vocabulary_.fields()) {
    const auto dot = spec.name.rfind('.');
    if (dot != std::string_view::npos && spec.name.substr(dot + 1) == name) {
      all.emplace_back(spec.name);
    }
  }
  const auto written = std::ranges::find_if(
      all, [&](const std::string& each) { return recipe_.find(each) != nullptr; });
  const auto model = std::ranges::find(all, "model." + std::string(name));
  if (written != all.end()) {
    return *written;
  }
  if (model != all.end()) {
    return *model;
  }
  return all.size() == 1 ? all.front() : std::string();
}

std::vector<std::string> Tracer::candidates() const {
  std::vector<std::string> all;
  for (const auto& spec : vocabulary_.fields()) {
    all.emplace_back(spec.name);
    const auto dot = spec.name.rfind('.');
    if (dot != std::string_view::npos) {
      all.emplace_back(spec.name.substr(dot + 1));
    }
  }
  for (const auto& flag : vocabulary_.flags()) {
    all.insert(all.end(), flag.spellings.begin(), flag.spellings.end());
  }
  for (const auto& plain : knowledge_.tables.plain_names) {
    all.emplace_back(plain.name);
  }
  for (const auto& derived : knowledge_.derived) {
    all.emplace_back(derived.name);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

namespace {

using expr::Value;

/// Records the launch's writes.
class Recorder final : public lint::LaunchEvents {
 public:
  Recorder(const lint::Knowledge& knowledge,
           const facts::Facts& facts,
           std::map<expr::NameSlot, std::vector<Step>>& rewrites)
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
    if (step.slot) {
      compare(*step.slot, step, stage);
      return;
    }
    const auto prefix = std::string(step.section) + ".";
    for (const auto slot : facts_.names().slots()) {
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
        if (step.slot) {
          last_[*step.slot] = facts_.value(*step.slot);
        } else {
          sections.insert(std::string(step.section));
        }
      }
    }
    for (const auto slot : facts_.names().slots()) {
      const auto name = facts_.names().name(slot);
      if (sections.contains(std::string(name.substr(0, name.find('.'))))) {
        last_[slot] = facts_.value(slot);
      }
    }
  }

  void compare(expr::NameSlot slot, const lint::RewriteStep& step, const lint::Stage& stage) {
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

  const facts::Facts& facts_;
  std::map<expr::NameSlot, std::vector<Step>>& rewrites_;
  std::map<expr::NameSlot, Value> last_;
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
               const facts::Target& target,
               const lint::Knowledge& knowledge)
    : recipe_(recipe),
      vocabulary_(vocabulary),
      target_(target),
      knowledge_(knowledge),
      facts_(recipe, vocabulary, target, knowledge.names, knowledge.derived) {
  Recorder recorder(knowledge, facts_, rewrites_);
  const auto itinerary = lint::plan(knowledge, recipe, vocabulary, target);
  lint::run_launch(itinerary, facts_, lint::reported_by_readers(facts_, knowledge), recorder);
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
  const auto slot = knowledge_.names.find(key);
  add_target_steps(key, trace);
  if (trace.steps.empty()) {
    add_field_steps(key, trace);
  }
  if (const auto made = slot ? rewrites_.find(*slot) : rewrites_.end(); made != rewrites_.end()) {
    trace.steps.insert(trace.steps.end(), made->second.begin(), made->second.end());
  }
  trace.value = slot ? facts_.value(*slot) : trace.steps.back().value;
  trace.trainer_step = trainer_step(key);
  return trace;
}

/// What the settings of the trainer itself give a step of the optimizer, which `simulate` uses; empty
/// for other values, and where they do not tell.
std::string Tracer::trainer_step(std::string_view key) const {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOfStep = {
      {{"train.global_batch_size", "raw.step_global_batch"},
       {"train.micro_batch_size", "raw.step_micro_batch"},
       {"model.seq_length", "raw.step_sequence"}}};
  for (const auto& [field, fact] : kOfStep) {
    const auto found = recipe_.raw.find(fact);
    if (key == field && found != recipe_.raw.end()) {
      return found->second.to_text();
    }
  }
  const auto of_rank = recipe_.raw.find("raw.step_rank_batch");
  if (key == "train.global_batch_size" && of_rank != recipe_.raw.end()) {
    return of_rank->second.to_text() + " for each data-parallel rank";
  }
  return "";
}

Trace Tracer::derived_trace(const facts::Derived& derived, std::vector<std::string>& shown) const {
  const auto& names = knowledge_.names;
  const auto& expression = derived.expression;
  if (expression.nodes.size() == 1 && expression.nodes.front().op == expr::Op::name) {
    return trace(std::string(names.name(expression.nodes.front().name())), shown);
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
  for (const auto slot : watch.read()) {
    trace.inputs.push_back(this->trace(std::string(names.name(slot)), shown));
  }
  return trace;
}

/// The rule that is a premise of a value, otherwise one that requires the same division without a
/// remainder.
void Tracer::add_remainders(const facts::Derived& derived, Trace& trace) const {
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

/// The source of the known Megatron-Core version of a Bridge release.
void Tracer::add_pin(Trace& trace) const {
  const auto slot = knowledge_.names.find("stack.bridge");
  if (!slot) {
    return;
  }
  const auto bridge = facts_.value(*slot).to_text();
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

const facts::Derived* Tracer::derived_of(const std::string& key) const {
  const auto framework = recipe::to_string(recipe_.framework);
  if (key.starts_with("stack.") && target_.stack.find(key.substr(6)) != nullptr) {
    return nullptr;  // it was given
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
    trace.steps.push_back(
        {kind_of(field->origin), field->value, field->mark, {}, {}, {}, field->definition});
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
             : Source{Step::Kind::unsaid, "not set", {}};
}

void Tracer::add_target_steps(const std::string& key, Trace& trace) const {
  const auto slot = knowledge_.names.find(key);
  const auto add = [&](Step::Kind kind, const std::string& by, const text::Mark& mark = {}) {
    trace.steps.push_back({kind, slot ? facts_.value(*slot) : Value::unset(), mark, by, {}, {}});
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
    option(component != nullptr ? component->source : own ? "the newest known to epwise" : "");
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

namespace {

void judge(const lint::Result& result, Inexact& inexact) {
  const lint::Rule* rule = inexact.rule;
  const auto accepted = std::ranges::find_if(
      result.accepted, [rule](const auto& each) { return each.finding.rule == rule; });
  const audit::Standing standing = audit::standing(*rule, result);
  if (accepted != result.accepted.end()) {
    inexact.waiver = fmt::format(", accepted by {}", accepted->source);
  } else if (standing.kind == audit::Standing::Kind::open) {
    inexact.rejects = false;
    inexact.waiver = fmt::format(", undecided: unknown {}", fmt::join(standing.open->needs, ", "));
  } else if (!standing.broken() &&
             std::ranges::find(result.waiting, rule) == result.waiting.end() &&
             result.launch.verdict != lint::Verdict::rejects) {
    inexact.rule = nullptr;
  }
}

}  // namespace

void judge_remainders(const lint::Result& result, Trace& trace) {
  for (Inexact& inexact : trace.inexact) {
    if (inexact.rule != nullptr) {
      judge(result, inexact);
    }
  }
  for (Trace& input : trace.inputs) {
    judge_remainders(result, input);
  }
}

}  // namespace epwise::why
