#include "commands/diff/difference.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lint/facts/facts.h"
#include "lint/launch_run.h"
#include "lint/spelling_fixes.h"

namespace epwise::diff {

namespace {

/// A finding without its values, so that it is the same before and after.
std::string name_of(const lint::Finding& finding) {
  if (lint::is_predicted(*finding.rule)) {
    return std::string(finding.rule->id);  // its evidence is numbers
  }
  std::set<std::string> names;
  for (const lint::Evidence& evidence : finding.evidence) {
    names.insert(evidence.name);
  }
  std::string text(finding.rule->id);
  for (const std::string& name : names) {
    text += " " + name;
  }
  return finding.rule->builtin ? text + finding.message : text;
}

/// The values of one side, as executed.
class Values {
 public:
  Values(const Side& side, const lint::Knowledge& knowledge)
      : side_(side),
        names_(knowledge.names),
        facts_(side.recipe,
               side.recipe.vocabulary_or(side.vocabulary),
               side.target,
               knowledge.names,
               knowledge.derived) {
    lint::settle(facts_, knowledge);
  }

  std::string text(const std::string& name) const {
    const expr::Value value = find(name);
    return value.is_unknown() ? "unknown" : value.is_unset() ? "-" : value.to_text();
  }

  /// A field as its value is to be read: not the flag that switches it off.
  std::string called(const std::string& name) const { return lint::value_name(name, facts_); }

  /// Whether the value comes from the framework rather than the user.
  bool is_default(const std::string& name) const {
    const auto* spec = side_.recipe.vocabulary_or(side_.vocabulary).find(name);
    return side_.recipe.find(name) == nullptr && spec != nullptr && spec->has_default &&
           text(name) != "-" && spec->default_value.to_text() == text(name);
  }

 private:
  expr::Value find(const std::string& name) const {
    if (name.starts_with("env.")) {
      const auto variable = side_.recipe.variables.find(name.substr(4));
      return variable == side_.recipe.variables.end() ? expr::Value::unset()
                                                      : variable->second.value;
    }
    if (const auto slot = names_.find(name)) {
      return facts_.value(*slot);
    }
    if (const recipe::Field* field = side_.recipe.find(name)) {
      return field->value;
    }
    return side_.recipe.vocabulary_or(side_.vocabulary).default_of(name);
  }

  const Side& side_;
  const expr::Names& names_;
  facts::Facts facts_;
};

/// A trainer's settings that are not fields of Megatron: "trainer.data.train_batch_size".
void add_own_settings(const recipe::Recipe& recipe, std::set<std::string>& names) {
  if (recipe.settings == nullptr) {
    return;
  }
  for (const auto& setting : *recipe.settings) {
    const bool known = std::ranges::any_of(recipe.fields, [&setting](const auto& field) {
      return field.second.mark == setting.second.mark;
    });
    if (!known) {
      names.insert(setting.first);
    }
  }
}

std::set<std::string> fields_of(const Side& before, const Side& after) {
  std::set<std::string> names;
  for (const Side* side : {&before, &after}) {
    for (const auto& [name, field] : side->recipe.fields) {
      names.insert(name);
    }
    for (const auto& [name, variable] : side->recipe.variables) {
      names.insert("env." + name);
    }
    add_own_settings(side->recipe, names);
  }
  return names;
}

/// As a person writes it there.
std::string spelling_of(const std::string& name, const Side& before, const Side& after) {
  for (const Side* side : {&after, &before}) {
    if (const recipe::Field* field = side->recipe.find(name); field != nullptr) {
      return field->spelling.empty() ? name : field->spelling;
    }
  }
  return name;
}

using Findings = std::multimap<std::string, const lint::Finding*>;

Findings findings_of(const lint::Result& result) {
  Findings findings;
  for (const lint::Finding& finding : result.findings) {
    findings.emplace(name_of(finding), &finding);
  }
  return findings;
}

Findings accepted_of(const lint::Result& result) {
  Findings findings;
  for (const lint::Accepted& accepted : result.accepted) {
    findings.emplace(name_of(accepted.finding), &accepted.finding);
  }
  return findings;
}

/// Elements of `all` that are missing in the other.
std::vector<const lint::Finding*> without(const Findings& all, Findings others) {
  std::vector<const lint::Finding*> rest;
  for (const auto& [name, finding] : all) {
    if (const auto same = others.find(name); same != others.end()) {
      others.erase(same);
    } else {
      rest.push_back(finding);
    }
  }
  return rest;
}

std::vector<Told> told(const std::vector<const lint::Finding*>& findings) {
  std::vector<Told> result;
  for (const lint::Finding* finding : findings) {
    result.push_back({std::string(finding->rule->id), finding->severity, finding->message});
  }
  std::ranges::stable_sort(result, std::ranges::greater(), &Told::severity);
  return result;
}

/// Findings by what they read: by name among the values that the rule reads, or because the finding
/// points at the value.
class Readers {
 public:
  Readers(const std::vector<const lint::Finding*>& findings, const recipe::Recipe& recipe)
      : findings_(findings),
        recipe_(recipe) {
    for (std::size_t i = 0; i < findings.size(); ++i) {
      for (const lint::Evidence& evidence : findings[i]->evidence) {
        by_name_[evidence.name].insert(i);
      }
      add(findings[i]->primary, i);
      for (const lint::Location& location : findings[i]->related) {
        add(location, i);
      }
    }
  }

  /// In the order of the findings.
  std::vector<const lint::Finding*> of(const std::string& name, const std::string& spelling) const {
    std::set<std::size_t> numbers;
    const auto take = [&numbers](const auto& index, const auto& key) {
      if (const auto found = index.find(key); found != index.end()) {
        numbers.insert(found->second.begin(), found->second.end());
      }
    };
    take(by_name_, name);
    take(by_name_, spelling);
    if (const recipe::Field* field = recipe_.find(name)) {
      take(by_place_, place_of(field->mark));
    }
    std::vector<const lint::Finding*> readers;
    for (const std::size_t number : numbers) {
      readers.push_back(findings_[number]);
    }
    return readers;
  }

 private:
  using Place = std::tuple<const text::SourceFile*, std::uint32_t, std::uint32_t>;

  static Place place_of(const text::Mark& mark) { return {mark.file, mark.begin, mark.end}; }

  void add(const lint::Location& location, std::size_t number) {
    if (!location.mark.nowhere()) {
      by_place_[place_of(location.mark)].insert(number);
    }
  }

  const std::vector<const lint::Finding*>& findings_;
  const recipe::Recipe& recipe_;
  std::map<std::string, std::set<std::size_t>> by_name_;
  std::map<Place, std::set<std::size_t>> by_place_;
};

/// A fix of the finding that keeps the changed values; null pointer if there is none.
const lint::Fix* fix_beside(const lint::Finding& finding, const std::set<std::string>& changed) {
  const auto found = std::ranges::find_if(finding.fixes, [&changed](const lint::Fix& fix) {
    return !fix.edits.empty() &&
           std::ranges::none_of(fix.edits, [&changed](const lint::Fix::Edit& edit) {
             return changed.contains(edit.field) || changed.contains(edit.name);
           });
  });
  return found == finding.fixes.end() ? nullptr : &*found;
}

void add_coupled(const std::vector<const lint::Finding*>& introduced,
                 const std::set<std::string>& changed,
                 Difference& difference) {
  std::set<Wanted> wanted;
  std::set<std::string> coupled;
  for (const lint::Finding* finding : introduced) {
    if (const lint::Fix* fix = fix_beside(*finding, changed)) {
      for (const lint::Fix::Edit& edit : fix->edits) {
        wanted.insert({edit.field, edit.remove ? "" : edit.value, std::string(finding->rule->id)});
      }
      continue;
    }
    for (const lint::Evidence& evidence : finding->evidence) {
      const bool field =
          evidence.name.find('.') != std::string::npos || evidence.name.starts_with("--");
      if (field && evidence.origin != "default" && !changed.contains(evidence.name)) {
        coupled.insert(evidence.name);
      }
    }
  }
  difference.wanted.assign(wanted.begin(), wanted.end());
  difference.coupled.assign(coupled.begin(), coupled.end());
}

}  // namespace

Difference difference_of(const Side& before, const Side& after, const lint::Knowledge& knowledge) {
  Difference result;
  const Findings old = findings_of(before.result);
  const Findings now = findings_of(after.result);
  const auto introduced = without(now, old);
  const auto gone = without(old, now);
  const Findings waived = accepted_of(after.result);
  std::vector<const lint::Finding*> removed = gone;
  const auto accepted =
      std::stable_partition(removed.begin(), removed.end(), [&](const lint::Finding* finding) {
        return !waived.contains(name_of(*finding));
      });
  Findings known = old;
  known.merge(accepted_of(before.result));
  result.waived = told(without(waived, known));
  result.accepted = told({accepted, removed.end()});
  removed.erase(accepted, removed.end());
  result.introduced = told(introduced);
  result.removed = told(removed);
  const Values were(before, knowledge);
  const Values are(after, knowledge);
  const EffectTable& effects = EffectTable::embedded();
  const Readers introducing(introduced, after.recipe);
  const Readers removing(gone, before.recipe);
  std::set<std::string> names;  // names of changed fields, canonical and as written
  for (const std::string& name : fields_of(before, after)) {
    Changed changed;
    changed.field = spelling_of(name, before, after);
    changed.before = were.text(name);
    changed.after = are.text(name);
    if (changed.before == changed.after) {
      continue;
    }
    changed.effect = effects.effect_of(name);
    changed.about = effects.about(name);
    changed.default_before = were.is_default(name);
    changed.default_after = are.is_default(name);
    for (const Readers* readers : {&introducing, &removing}) {
      for (const lint::Finding* finding : readers->of(name, changed.field)) {
        changed.rules.emplace_back(finding->rule->id);
        changed.effect =
            finding->severity == lint::Severity::error ? Effect::legality : changed.effect;
      }
    }
    names.insert({name, changed.field});
    changed.field = (after.recipe.find(name) != nullptr ? are : were).called(name);
    result.changed.push_back(std::move(changed));
  }
  std::ranges::stable_sort(result.changed, std::ranges::greater(), &Changed::effect);
  add_coupled(introduced, names, result);
  return result;
}

}  // namespace epwise::diff
