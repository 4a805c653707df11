#include "whatif/bench.h"

#include <algorithm>

namespace epwise::whatif {

namespace {

void add_once(const lint::Rule* rule, std::vector<const lint::Rule*>& all) {
  if (rule != nullptr && std::ranges::find(all, rule) == all.end()) {
    all.push_back(rule);
  }
}

std::vector<Sighting> sightings_of(const lint::Result& result) {
  std::vector<Sighting> all;
  for (const auto& finding : result.findings) {
    const auto same = std::ranges::find(all, finding.rule, &Sighting::rule);
    if (same != all.end()) {
      same->severity = std::max(same->severity, finding.severity);
    } else {
      all.push_back({finding.rule, false, finding.severity, finding.message, {}});
    }
  }
  for (const auto& open : result.open) {
    if (std::ranges::find(all, open.rule, &Sighting::rule) == all.end()) {
      all.push_back({open.rule, true, open.rule->severity, {}, open.needs});
    }
  }
  std::ranges::sort(all, {}, [](const Sighting& sighting) { return sighting.rule->id; });
  return all;
}

std::vector<const lint::Rule*> blockers_of(const Look& look, const Question& question) {
  std::vector<const lint::Rule*> all;
  if (look.launch.verdict == lint::Verdict::rejects) {
    add_once(look.launch.rule, all);
  }
  for (const auto& sighting : look.sightings) {
    const bool severe =
        !sighting.open && question.fail_on && sighting.severity >= *question.fail_on;
    if (!sighting.rule->preview && (severe || (sighting.open && question.strict))) {
      add_once(sighting.rule, all);
    }
  }
  return all;
}

}  // namespace

const Sighting* Look::find(const lint::Rule* rule) const {
  const auto found = std::ranges::find(sightings, rule, &Sighting::rule);
  return found == sightings.end() ? nullptr : &*found;
}

Spot Bench::present() const {
  Spot spot;
  for (const auto& axis : question_.axes) {
    spot.push_back(axis.present);
  }
  return spot;
}

const Look& Bench::look(const Spot& spot) {
  const auto found = looks_.find(spot);
  return found != looks_.end() ? found->second : looks_.emplace(spot, lint(spot)).first->second;
}

Look Bench::lint(const Spot& spot) {
  auto target = question_.target;
  for (std::size_t i = 0; i < spot.size(); ++i) {
    const auto& axis = question_.axes[i];
    if (spot[i] != axis.present || axis.assumed) {
      target = moved(std::move(target), axis, spot[i]);
    }
  }
  const auto reading = question_.read(target);
  if (std::ranges::find(vocabularies_, reading.vocabulary) == vocabularies_.end()) {
    vocabularies_.push_back(reading.vocabulary);
  }
  const auto result = lint::lint(
      *reading.recipe, *reading.vocabulary, target, question_.knowledge, question_.selection);
  Look look;
  look.launch = result.launch;
  look.framework_version = result.framework_version;
  look.version_unknown = result.version_unknown;
  look.sightings = sightings_of(result);
  look.blockers = blockers_of(look, question_);
  return look;
}

}  // namespace epwise::whatif
