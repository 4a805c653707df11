#include "whatif/answer.h"

#include <algorithm>

#include "whatif/rule_axes.h"
#include "whatif/search.h"

namespace epwise::whatif {

namespace {

constexpr std::size_t kMostSpots = 1 << 20;

/// Whether a rule says the same at both: found with one severity, open, or nothing.
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

Sweep sweep(Bench& bench, std::size_t axis) {
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

/// Rules that no axis touches, or only one, along which they block everywhere.
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

Choice choice(const Spot& spot, Bench& bench) {
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
  Bench bench(question);
  Answer result;
  result.present = bench.look(bench.present());
  for (std::size_t axis = 0; axis < question.axes.size(); ++axis) {
    result.sweeps.push_back(sweep(bench, axis));
  }
  const auto framework = question.read(question.target).recipe->framework;
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
  Bench bench(question);
  for (const auto& spot : spots_by_distance(question.axes, kMostSpots)) {
    if (bench.look(spot).clean()) {
      return spot;
    }
  }
  return std::nullopt;
}

}  // namespace epwise::whatif
