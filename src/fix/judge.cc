#include "fix/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units/version.h"
#include "hw/profile.h"
#include "lint/facts/facts.h"
#include "lint/rule_dependencies.h"

namespace epwise::fix {

namespace {

using expr::Kind;
using expr::Value;
using Changes = std::vector<lint::Variants::Change>;

/// Whether no reader would report anything about this value of a field.
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

/// The target's value for one of its names; unset for all others.
Value target_value(const facts::Target& target,
                   recipe::Framework framework,
                   std::string_view name) {
  const auto key = name.substr(name.find('.') + 1);
  if (name == "gpus") {
    return target.gpus ? Value::of(*target.gpus) : Value::unknown({"gpus"});
  }
  if (name.starts_with("hw.")) {
    return facts::hardware_value(target, key);
  }
  if (name.starts_with("installed.")) {
    return facts::installed_value(target, key);
  }
  const bool own = key == "bridge" || key == "mlm" || key == "mcore";
  return name.starts_with("stack.") && !own ? facts::component_value(target, framework, {}, key)
                                            : Value::unset();
}

bool same(const Value& a, const Value& b) {
  return a == b && a.is_unknown() == b.is_unknown();
}

}  // namespace

Judge::Judge(const session::Analysis& base)
    : base_(base),
      recipe_(*base.recipe),
      vocabulary_(base.vocabulary()),
      before_(verdict_of(base)) {
  for (const lint::Accepted& accepted : base.result.accepted) {
    accepted_.insert(accepted.finding.rule);
  }
  for (const auto& finding : base.result.findings) {
    if (finding.rule->builtin && !finding.primary.mark.nowhere()) {
      reported_lines_.insert(finding.primary.mark.start().line);
    }
    if (finding.rule->builtin) {
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

Verdict Judge::on(const facts::Target& target) {
  return judge(changes_of(target));
}

std::optional<Changes> Judge::changes_of(const lint::Fix& fix) const {
  if (recipe_.framework == recipe::Framework::mlm) {
    return std::nullopt;
  }
  Changes changes;
  for (const auto& edit : fix.edits) {
    const auto dot = edit.name.find('.');
    const auto slot = base_.knowledge().names.find(edit.name);
    const auto* spec = vocabulary_.find(edit.name);
    const bool reported = !edit.mark.nowhere() && reported_lines_.contains(edit.mark.start().line);
    const bool known =
        !edit.remove && !reported && slot && spec != nullptr && spec->name == edit.name;
    if (!known || !recipe_.sections.contains(edit.name.substr(0, dot)) ||
        !fits(edit.target, spec->type.kind)) {
      return std::nullopt;
    }
    changes.push_back({*slot, edit.target});
  }
  return changes;
}

Changes Judge::changes_of(const facts::Target& target) const {
  Changes changes;
  const auto& names = base_.knowledge().names;
  for (const auto slot : names.slots()) {
    const auto name = names.name(slot);
    const Value now = target_value(*base_.target, recipe_.framework, name);
    Value then = target_value(target, recipe_.framework, name);
    if (!same(now, then)) {
      changes.push_back({slot, std::move(then)});
    }
  }
  return changes;
}

Verdict Judge::judge(const Changes& changes) {
  if (!variants_) {
    variants_ = std::make_unique<lint::Variants>(
        recipe_, vocabulary_, *base_.target, base_.knowledge(), base_.result.ledger.get());
  }
  const auto judgement = variants_->judge(changes);
  Verdict verdict = readers_;
  verdict.launch = rank(judgement.verdict);
  for (const auto* rule : judgement.failed) {
    if (rule->builtin || !base_.selection().takes(*rule)) {
      continue;
    }
    if (accepted_.contains(rule)) {
      continue;
    }
    verdict.findings.emplace_back(rule->id);
    if (base_.severity_of(*rule) >= lint::Severity::warning) {
      verdict.problems.emplace_back(rule->id);
    }
  }
  for (const auto* rule : judgement.open) {
    if (base_.selection().takes(*rule)) {
      verdict.open.emplace_back(rule->id);
    }
  }
  std::ranges::sort(verdict.findings);
  std::ranges::sort(verdict.problems);
  std::ranges::sort(verdict.open);
  const auto deselected = [this](const lint::Rule* rule) {
    return !base_.selection().takes(*rule);
  };
  auto explained = judgement.explained;
  auto waiting = judgement.waiting;
  std::erase_if(explained, deselected);
  std::erase_if(waiting, deselected);
  add_unreported(explained, waiting, verdict);
  return verdict;
}

namespace {

constexpr std::size_t kMostProfiles = 3;

/// Numbers of GPUs worth trying, nearest first: whole nodes more and fewer, double and half.
std::vector<int> numbers_near(int gpus, int node) {
  std::set<int> numbers;
  constexpr int kNodes = 8;
  for (int i = 1; i <= kNodes; ++i) {
    numbers.insert({gpus - i * node, gpus + i * node, gpus << std::min(i, 3)});
    numbers.insert(gpus % (1 << std::min(i, 3)) == 0 ? gpus >> std::min(i, 3) : gpus);
  }
  numbers.erase(gpus);
  std::vector<int> near;
  std::ranges::copy_if(numbers, std::back_inserter(near), [](int number) { return number > 0; });
  std::ranges::stable_sort(near, {}, [gpus](int number) { return std::abs(number - gpus); });
  return near;
}

/// Without the build tag after "+": "2.9.0+70f53666" → "2.9.0".
std::string release_of(std::string_view component, std::string_view name) {
  if (!component.starts_with(name) || !component.substr(name.size()).starts_with('=')) {
    return "";
  }
  component.remove_prefix(name.size() + 1);
  return std::string(component.substr(0, component.find('+')));
}

/// Versions of a package in released containers: newer ones ascending, then older ones descending.
std::vector<std::string> versions_near(const lint::Knowledge& knowledge,
                                       std::string_view name,
                                       const units::Version& now) {
  std::vector<units::Version> all;
  for (const auto& container : knowledge.containers) {
    for (const auto component : container.components) {
      const std::string release = release_of(component, name);
      const auto version = release.empty() ? std::nullopt : units::Version::parse(release);
      if (version && std::ranges::find(all, *version) == all.end() && !(*version == now)) {
        all.push_back(*version);
      }
    }
  }
  std::ranges::sort(all, [&now](const units::Version& a, const units::Version& b) {
    const bool newer = now < a;
    return newer != (now < b) ? newer : (newer ? a < b : b < a);
  });
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const auto& version : all) {
    texts.push_back(version.text());
  }
  return texts;
}

class Explorer {
 public:
  explicit Explorer(const session::Analysis& base) : base_(base), judge_(base) {}

  void explore(lint::Finding& finding) {
    for (const auto& [name, component] : base_.target->stack.components()) {
      const bool framework = name == "bridge" || name == "mlm" || name == "mcore";
      if (!framework && component.version && matters(finding, "stack." + name)) {
        explore_versions(finding, name, *component.version);
      }
    }
    if (base_.target->hw != nullptr && depends_on_hardware(finding)) {
      explore_hardware(finding);
    }
    if (base_.target->gpus && matters(finding, "gpus")) {
      explore_numbers(finding);
    }
  }

 private:
  bool matters(const lint::Finding& finding, const std::string& name) {
    if (finding.rule->builtin) {
      return false;
    }
    if (!influence_) {
      influence_.emplace(base_.knowledge(),
                         base_.recipe->framework,
                         "",
                         std::vector<const recipe::Vocabulary*>{&base_.vocabulary()});
    }
    return influence_->reaches(name, *finding.rule);
  }

  bool depends_on_hardware(const lint::Finding& finding) {
    for (const char* name : {"hw.arch", "hw.cc", "hw.cc_major", "hw.name", "hw.nvlink_domain"}) {
      if (matters(finding, name)) {
        return true;
      }
    }
    return false;
  }

  bool settles(const lint::Finding& finding, const facts::Target& target) {
    return is_better(judge_.before(), judge_.on(target), name_of(finding));
  }

  void explore_versions(lint::Finding& finding,
                        const std::string& name,
                        const units::Version& now) {
    for (const std::string& version : versions_near(base_.knowledge(), name, now)) {
      facts::Target target = *base_.target;
      target.stack.set(name, version, "");
      if (settles(finding, target)) {
        finding.elsewhere.push_back(name + " " + version);
        return;
      }
    }
  }

  /// Most similar first: an H100 has more in common with an A100 than a GB200 has.
  std::vector<const hw::Profile*> kin() const {
    const hw::Profile& own = *base_.target->hw;
    std::vector<const hw::Profile*> profiles;
    for (const hw::Profile& profile : hw::profiles()) {
      if (profile.name != own.name && !profile.partial) {
        profiles.push_back(&profile);
      }
    }
    std::ranges::stable_sort(profiles, {}, [&own](const hw::Profile* profile) {
      return std::tuple(distance_of(*profile, own), profile->name);
    });
    return profiles;
  }

  static std::pair<int, double> distance_of(const hw::Profile& profile, const hw::Profile& own) {
    return {std::abs(profile.nvlink_domain - own.nvlink_domain),
            std::fabs(profile.compute_capability - own.compute_capability)};
  }

  void explore_hardware(lint::Finding& finding) {
    std::string names;
    std::size_t count = 0;
    for (const hw::Profile* profile : kin()) {
      facts::Target target = *base_.target;
      target.hw = profile;
      if (count < kMostProfiles && settles(finding, target)) {
        names += count == 0 ? "" : " or ";
        names += profile->name;
        ++count;
      }
    }
    if (count > 0) {
      finding.elsewhere.push_back(names);
    }
  }

  void explore_numbers(lint::Finding& finding) {
    const int node = base_.target->hw == nullptr ? 8 : base_.target->hw->gpus_per_node;
    for (const int gpus : numbers_near(*base_.target->gpus, std::max(node, 1))) {
      facts::Target target = *base_.target;
      target.gpus = gpus;
      if (settles(finding, target)) {
        finding.elsewhere.push_back(std::to_string(gpus) + " GPUs");
        return;
      }
    }
  }

  const session::Analysis& base_;
  std::optional<lint::RuleDependencies> influence_;  // once a finding asks
  Judge judge_;
};

}  // namespace

void find_elsewhere(session::Analysis& analysis) {
  if (!analysis.recipe->readable) {
    return;
  }
  Explorer explorer(analysis);
  for (lint::Finding& finding : analysis.result.findings) {
    if (finding.severity == lint::Severity::error) {
      explorer.explore(finding);
    }
  }
}

}  // namespace epwise::fix
