#include "repair/judge.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "model/target_values.h"

namespace epwise::repair {

namespace {

using expr::Kind;
using expr::Value;
using Changes = std::vector<lint::Variants::Change>;

/// Whether no reader would say anything about this value of a field.
bool fits(const Value& value, Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return value.boolean() != nullptr;
    case Kind::integer:
      return value.integer() != nullptr;
    case Kind::real:
      return value.integer() != nullptr || value.real() != nullptr;
    case Kind::text:
      return value.text() != nullptr;
    case Kind::list:
      return value.list() != nullptr;
    case Kind::any:
    case Kind::version:
      break;
  }
  return false;
}

/// What a target says about one of the names that stand for it; unset for all others.
Value target_value(const model::Target& target,
                   recipe::Framework framework,
                   std::string_view name) {
  const auto key = name.substr(name.find('.') + 1);
  if (name == "gpus") {
    return target.gpus ? Value::of(*target.gpus) : Value::unknown({"gpus"});
  }
  if (name.starts_with("hw.")) {
    return model::hardware_value(target, key);
  }
  if (name.starts_with("installed.")) {
    return model::installed_value(target, key);
  }
  const bool own = key == "bridge" || key == "mlm" || key == "mcore";
  return name.starts_with("stack.") && !own ? model::component_value(target, framework, {}, key)
                                            : Value::unset();
}

bool same(const Value& a, const Value& b) {
  return a == b && a.is_unknown() == b.is_unknown();
}

}  // namespace

Judge::Judge(const Bench& bench, const recipe::Recipe& recipe, const lint::Result& result)
    : bench_(bench),
      recipe_(recipe),
      vocabulary_(bench.vocabulary_of(recipe)),
      before_(verdict_of(recipe, result)) {
  for (const auto& finding : result.findings) {
    if (finding.rule->builtin && !finding.primary.mark.nowhere()) {
      reported_lines_.insert(finding.primary.mark.start().line);
    }
    if (finding.rule->builtin && !finding.consequence) {
      readers_.findings.push_back(name_of(finding));
      if (finding.severity >= lint::Severity::warning) {
        readers_.problems.push_back(readers_.findings.back());
      }
    }
  }
}

std::optional<Verdict> Judge::with(const lint::Fix& fix) {
  const auto changes = changes_of(fix);
  return changes ? std::optional(judge(*changes)) : std::nullopt;
}

Verdict Judge::on(const model::Target& target) {
  return judge(changes_of(target));
}

std::optional<Changes> Judge::changes_of(const lint::Fix& fix) const {
  if (recipe_.framework == recipe::Framework::mlm) {
    return std::nullopt;
  }
  Changes changes;
  for (const auto& edit : fix.edits) {
    const auto dot = edit.name.find('.');
    const int slot = bench_.knowledge.names.find(edit.name);
    const auto* spec = vocabulary_.find(edit.name);
    const bool reported = !edit.mark.nowhere() && reported_lines_.contains(edit.mark.start().line);
    const bool known =
        !edit.remove && !reported && slot >= 0 && spec != nullptr && spec->name == edit.name;
    if (!known || !recipe_.sections.contains(edit.name.substr(0, dot)) ||
        !fits(edit.target, spec->type.kind)) {
      return std::nullopt;
    }
    changes.push_back({slot, edit.target});
  }
  return changes;
}

Changes Judge::changes_of(const model::Target& target) const {
  Changes changes;
  const auto& names = bench_.knowledge.names;
  for (int slot = 0; slot < names.size(); ++slot) {
    const auto name = names.name(slot);
    const Value now = target_value(bench_.target, recipe_.framework, name);
    Value then = target_value(target, recipe_.framework, name);
    if (!same(now, then)) {
      changes.push_back({slot, std::move(then)});
    }
  }
  return changes;
}

Verdict Judge::judge(const Changes& changes) {
  if (!variants_) {
    variants_ =
        std::make_unique<lint::Variants>(recipe_, vocabulary_, bench_.target, bench_.knowledge);
  }
  const auto judgement = variants_->judge(changes);
  Verdict verdict = readers_;
  verdict.launch = rank(judgement.verdict);
  for (const auto* rule : judgement.failed) {
    if (rule->builtin || !bench_.selection.takes(*rule)) {
      continue;
    }
    verdict.findings.emplace_back(rule->id);
    if (rule->severity >= lint::Severity::warning) {
      verdict.problems.emplace_back(rule->id);
    }
  }
  for (const auto* rule : judgement.open) {
    if (bench_.selection.takes(*rule)) {
      verdict.open.emplace_back(rule->id);
    }
  }
  std::ranges::sort(verdict.findings);
  std::ranges::sort(verdict.problems);
  std::ranges::sort(verdict.open);
  const auto deselected = [this](const lint::Rule* rule) { return !bench_.selection.takes(*rule); };
  auto explained = judgement.explained;
  auto waiting = judgement.waiting;
  std::erase_if(explained, deselected);
  std::erase_if(waiting, deselected);
  add_unreported(explained, waiting, verdict);
  return verdict;
}

}  // namespace epwise::repair
