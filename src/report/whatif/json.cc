#include "report/json_text.h"
#include "report/whatif/writer.h"

namespace epwise::report {
namespace {

Json axis_json(const whatif::Axis& axis) {
  return {{"name", axis.name},
          {"points", axis.points},
          {"present", axis.points[axis.present]},
          {"assumed", axis.assumed},
          {"taken", axis.taken}};
}

Json launch_json(const lint::Launch& launch) {
  return {{"verdict", lint::to_string(launch.verdict)},
          {"rule", launch.rule == nullptr ? Json() : Json(launch.rule->id)},
          {"stage", launch.stage}};
}

/// "error", "warning", "note", "open", or null for nothing.
Json state_json(const whatif::Look& look, const lint::Rule* rule) {
  const auto* sighting = look.find(rule);
  if (sighting == nullptr) {
    return nullptr;
  }
  return sighting->open ? Json("open") : Json(lint::to_string(sighting->severity));
}

/// Stretches of points at which a rule says the same, those where it says nothing left out.
Json intervals_json(const lint::Rule* rule, const whatif::Sweep& sweep, const whatif::Axis& axis) {
  Json intervals = Json::array();
  Json last;
  for (std::size_t i = 0; i < sweep.looks.size(); ++i) {
    const Json state = state_json(sweep.looks[i], rule);
    if (!state.is_null() && state == last) {
      intervals.back()["to"] = axis.points[i];
    } else if (!state.is_null()) {
      const auto* sighting = sweep.looks[i].find(rule);
      intervals.push_back({{"from", axis.points[i]},
                           {"to", axis.points[i]},
                           {"state", state},
                           {"message", sighting->message},
                           {"needs", sighting->needs}});
    }
    last = state;
  }
  return intervals;
}

Json sweep_json(const whatif::Sweep& sweep, const whatif::Axis& axis) {
  Json launches = Json::array();
  for (std::size_t i = 0; i < sweep.looks.size(); ++i) {
    Json launch = launch_json(sweep.looks[i].launch);
    launch["point"] = axis.points[i];
    launch["tables"] = sweep.looks[i].framework_version;
    launches.push_back(launch);
  }
  Json rules = Json::array();
  for (const auto* rule : sweep.changing) {
    rules.push_back(
        {{"id", rule->id}, {"code", rule->code}, {"intervals", intervals_json(rule, sweep, axis)}});
  }
  return {{"axis", axis.name}, {"launch", launches}, {"rules", rules}};
}

Json clean_json(const whatif::Choice& clean, const std::vector<whatif::Axis>& axes) {
  Json values = Json::object();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    values[axes[i].name] = axes[i].points[clean.spot[i]];
  }
  Json changes = Json::array();
  for (const auto axis : clean.changed) {
    changes.push_back({{"axis", axes[axis].name},
                       {"from", axes[axis].points[axes[axis].present]},
                       {"to", axes[axis].points[clean.spot[axis]]}});
  }
  return {{"changes", changes}, {"target", values}, {"launch", launch_json(clean.look.launch)}};
}

Json ids(const std::vector<const lint::Rule*>& rules) {
  Json all = Json::array();
  for (const auto* rule : rules) {
    all.push_back(rule->id);
  }
  return all;
}

}  // namespace

std::string whatif_json(const WhatifReport& report) {
  const auto& axes = report.question.axes;
  const auto& answer = report.answer;
  Json all_axes = Json::array();
  for (const auto& axis : axes) {
    all_axes.push_back(axis_json(axis));
  }
  Json sweeps = Json::array();
  for (const auto& sweep : answer.sweeps) {
    sweeps.push_back(sweep_json(sweep, axes[sweep.axis]));
  }
  const Json json = {{"schema", "epwise.whatif/1"},
                     {"path", report.path},
                     {"framework", recipe::to_string(report.framework)},
                     {"axes", all_axes},
                     {"present", launch_json(answer.present.launch)},
                     {"sweeps", sweeps},
                     {"steady", ids(answer.steady)},
                     {"stuck", ids(answer.stuck)},
                     {"clean", answer.clean ? clean_json(*answer.clean, axes) : Json()},
                     {"searched_all", answer.searched_all},
                     {"linted", answer.looked_at}};
  return json_text(json);
}

}  // namespace epwise::report
