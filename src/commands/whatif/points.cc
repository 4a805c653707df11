#include "commands/whatif/points.h"

#include <algorithm>

#include "base/os/files.h"
#include "session/target/resolution.h"

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

/// Whether what rejects the launch does not count: it is accepted, deselected, or weighs less than
/// what fails.
bool is_accepted(const lint::Result& result, const std::optional<lint::Severity>& fail_on) {
  const lint::Waiver waiver = lint::waiver_of(result);
  const bool counts =
      waiver.kind == lint::Waiver::Kind::none ||
      (waiver.kind == lint::Waiver::Kind::lowered && fail_on && waiver.severity >= *fail_on);
  return result.launch.verdict == lint::Verdict::rejects && (!counts || !fail_on);
}

std::vector<const lint::Rule*> blockers_of(const Look& look, const Question& question) {
  std::vector<const lint::Rule*> all;
  if (look.launch.verdict == lint::Verdict::rejects && !look.accepted) {
    add_once(look.cause, all);
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

Spot Points::present() const {
  Spot spot;
  for (const auto& axis : question_.axes) {
    spot.push_back(axis.present);
  }
  return spot;
}

const Look& Points::look(const Spot& spot) {
  const auto found = looks_.find(spot);
  return found != looks_.end() ? found->second : looks_.emplace(spot, lint(spot)).first->second;
}

const session::Analysis& Points::at_version(const facts::Target& target) {
  const std::string versions = session::versions_of(target.stack);
  auto known = readings_.find(versions);
  if (known == readings_.end()) {
    session::Analysis analysis = question_.base.on(target);
    if (analysis.recipe == nullptr || !analysis.recipe->readable) {
      throw os::MissingError(question_.base.document->path +
                             " can't be read as a recipe of every version on the axis");
    }
    known = readings_.emplace(versions, std::move(analysis)).first;
  }
  return known->second;
}

Look Points::lint(const Spot& spot) {
  auto target = question_.target;
  for (std::size_t i = 0; i < spot.size(); ++i) {
    const auto& axis = question_.axes[i];
    if (spot[i] != axis.present || axis.assumed) {
      target = moved(std::move(target), axis, spot[i]);
    }
  }
  const session::Analysis there = at_version(target).on(target);
  const auto& vocabulary =
      there.document->vocabulary(target, there.recipe->framework, there.recipe->model_class);
  if (std::ranges::find(vocabularies_, &vocabulary) == vocabularies_.end()) {
    vocabularies_.push_back(&vocabulary);
  }
  const lint::Result& result = there.result;
  Look look;
  look.launch = result.launch;
  look.cause = result.cause();
  look.framework_version = result.framework_version;
  look.version_unknown = result.version_unknown;
  look.sightings = sightings_of(result);
  look.accepted = is_accepted(result, question_.fail_on);
  look.blockers = blockers_of(look, question_);
  return look;
}

}  // namespace epwise::whatif
