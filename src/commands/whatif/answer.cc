#include "commands/whatif/answer.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace epwise::whatif {

namespace {

/// "hw.cc" → "hw", "stack.te" → "te", "gpus" → "gpus"; "" for names without an axis.
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
      own_(question.knowledge().rules.size()) {
  const lint::RuleDependencies influence(question.knowledge(), framework, "", vocabularies);
  const auto& names = question.knowledge().names;
  for (std::size_t i = 0; i < question.axes.size(); ++i) {
    const auto& axis = question.axes[i].name;
    const Axes bit = Axes{1} << i;
    if (axis == recipe::to_string(framework) ||
        (framework == recipe::Framework::mlm && axis == "mcore")) {
      always_ |= bit;
    }
    for (const auto slot : names.slots()) {
      if (axis_of(names.name(slot)) == axis) {
        for (const int rule : influence.readers(slot)) {
          own_[static_cast<std::size_t>(rule)] |= bit;
        }
      }
    }
  }
}

Axes RuleAxes::of(const lint::Rule& rule) const {
  if (lint::is_predicted(rule)) {  // it reads the whole target, not the names of a condition
    return (Axes{1} << question_.axes.size()) - 1;
  }
  Axes axes = always_ | own_[static_cast<std::size_t>(&rule - question_.knowledge().rules.data())];
  for (const auto premise : rule.premises) {
    axes |= own_[static_cast<std::size_t>(premise)];
  }
  return axes;
}

namespace {

/// Points of some axes that suffice for a rule to block.
struct Conflict {
  Axes axes = 0;
  Spot spot;

  bool covers(const Spot& other) const {
    for (std::size_t i = 0; i < spot.size(); ++i) {
      if ((axes >> i & 1U) != 0 && spot[i] != other[i]) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace

Distance distance(const Spot& spot, const std::vector<Axis>& axes) {
  Distance distance;
  for (std::size_t i = 0; i < spot.size(); ++i) {
    const auto present = axes[i].present;
    const bool ordered = axes[i].name != "hw";
    if (spot[i] != present) {
      ++distance.changes;
      distance.steps += ordered ? std::max(spot[i], present) - std::min(spot[i], present) : 1;
      distance.downgrades += ordered && spot[i] < present ? 1U : 0U;
    }
  }
  return distance;
}

std::vector<Spot> spots_by_distance(const std::vector<Axis>& axes, std::size_t most) {
  std::size_t count = 1;
  for (const auto& axis : axes) {
    count *= axis.points.size();
    if (count > most) {
      return {};
    }
  }
  std::vector<std::pair<Distance, Spot>> all;
  all.reserve(count);
  Spot spot(axes.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    all.emplace_back(distance(spot, axes), spot);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      spot[axis] = (spot[axis] + 1) % axes[axis].points.size();
      if (spot[axis] != 0) {
        break;
      }
    }
  }
  std::ranges::sort(all);
  std::vector<Spot> spots;
  spots.reserve(count);
  for (auto& each : all) {
    spots.push_back(std::move(each.second));
  }
  return spots;
}

Found search(Points& bench,
             const RuleAxes& rule_axes,
             const std::vector<const lint::Rule*>& ignored,
             std::size_t most) {
  const auto spots = spots_by_distance(bench.question().axes, most);
  Found found;
  found.gave_up = spots.empty();
  std::size_t fewest = 0;
  std::vector<Conflict> conflicts;
  for (const auto& spot : spots) {
    const auto covers = [&](const Conflict& conflict) { return conflict.covers(spot); };
    if (std::ranges::any_of(conflicts, covers)) {
      continue;
    }
    std::size_t blockers = 0;
    for (const auto* rule : bench.look(spot).blockers) {
      if (std::ranges::find(ignored, rule) == ignored.end()) {
        ++blockers;
        conflicts.push_back({rule_axes.of(*rule), spot});
      }
    }
    if (blockers == 0) {
      found.clean = spot;
      return found;
    }
    if (found.nearest.empty() || blockers < fewest) {
      found.nearest = spot;
      fewest = blockers;
    }
  }
  return found;
}

namespace {

constexpr std::size_t kMostSpots = 1 << 20;

/// Whether a rule has the same result at both: found with one severity, open, or nothing.
bool same(const Sighting* a, const Sighting* b) {
  if (a == nullptr || b == nullptr) {
    return a == b;
  }
  return a->open == b->open && (a->open || a->severity == b->severity);
}

bool same_launch(const lint::Launch& a, const lint::Launch& b) {
  return a.verdict == b.verdict && a.rule == b.rule;
}

void add_rules(const Look& look, std::vector<const lint::Rule*>& all) {
  for (const auto& sighting : look.sightings) {
    if (std::ranges::find(all, sighting.rule) == all.end()) {
      all.push_back(sighting.rule);
    }
  }
}

Sweep sweep(Points& bench, std::size_t axis) {
  Sweep result;
  result.axis = axis;
  std::vector<const lint::Rule*> rules;
  auto spot = bench.present();
  for (std::size_t point = 0; point < bench.question().axes[axis].points.size(); ++point) {
    spot[axis] = point;
    result.looks.push_back(bench.look(spot));
    add_rules(result.looks.back(), rules);
  }
  const auto& looks = result.looks;
  for (const auto* rule : rules) {
    const auto* first = looks.front().find(rule);
    if (!std::ranges::all_of(looks, [&](const Look& l) { return same(first, l.find(rule)); })) {
      result.changing.push_back(rule);
    }
  }
  std::ranges::sort(result.changing, {}, &lint::Rule::id);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const auto alike = [&](const lint::Rule* rule) {
      return same(looks[i - 1].find(rule), looks[i].find(rule));
    };
    if (i > 0 && same_launch(looks[i - 1].launch, looks[i].launch) &&
        std::ranges::all_of(result.changing, alike)) {
      result.segments.back().last = i;
    } else {
      result.segments.push_back({i, i});
    }
  }
  return result;
}

bool blocks_throughout(const lint::Rule* rule, const Sweep& sweep) {
  return std::ranges::all_of(sweep.looks, [&](const Look& look) {
    return std::ranges::find(look.blockers, rule) != look.blockers.end();
  });
}

/// Rules that depend on no axis, or on only one, along which they block everywhere.
std::vector<const lint::Rule*> stuck_rules(const Answer& answer, const RuleAxes& rule_axes) {
  std::vector<const lint::Rule*> stuck;
  for (const auto* rule : answer.present.blockers) {
    const Axes axes = rule_axes.of(*rule);
    if ((axes & (axes - 1)) != 0) {
      continue;  // several
    }
    const auto along = [&](const Sweep& sweep) {
      return (axes >> sweep.axis & 1U) == 0 || blocks_throughout(rule, sweep);
    };
    if (std::ranges::all_of(answer.sweeps, along)) {
      stuck.push_back(rule);
    }
  }
  return stuck;
}

std::vector<const lint::Rule*> steady_rules(const Answer& answer) {
  std::vector<const lint::Rule*> steady;
  for (const auto& sighting : answer.present.sightings) {
    const auto throughout = [&](const Sweep& sweep) {
      return std::ranges::find(sweep.changing, sighting.rule) == sweep.changing.end();
    };
    if (std::ranges::all_of(answer.sweeps, throughout)) {
      steady.push_back(sighting.rule);
    }
  }
  return steady;
}

Choice choice(const Spot& spot, Points& bench) {
  Choice choice{spot, {}, bench.look(spot)};
  for (std::size_t axis = 0; axis < spot.size(); ++axis) {
    if (spot[axis] != bench.question().axes[axis].present) {
      choice.changed.push_back(axis);
    }
  }
  return choice;
}

}  // namespace

Answer answer(const Question& question) {
  Points bench(question);
  Answer result;
  result.present = bench.look(bench.present());
  for (std::size_t axis = 0; axis < question.axes.size(); ++axis) {
    result.sweeps.push_back(sweep(bench, axis));
  }
  const auto framework = question.base.recipe->framework;
  const RuleAxes rule_axes(question, framework, bench.vocabularies());
  result.stuck = stuck_rules(result, rule_axes);
  result.steady = steady_rules(result);
  const auto found = search(bench, rule_axes, result.stuck, kMostSpots);
  result.searched_all = !found.gave_up;
  result.looked_at = bench.size();
  if (found.clean) {
    result.clean = choice(*found.clean, bench);
  } else if (!found.nearest.empty()) {
    result.nearest = choice(found.nearest, bench);
  }
  return result;
}

std::optional<Spot> search_everything(const Question& question) {
  Points bench(question);
  for (const auto& spot : spots_by_distance(question.axes, kMostSpots)) {
    if (bench.look(spot).clean()) {
      return spot;
    }
  }
  return std::nullopt;
}

}  // namespace epwise::whatif
