#include <cmath>

#include "advise/comparison_tables.h"
#include "base/units/quantity.h"
#include "commands/advise/report.h"
#include "ui/prediction_text.h"

namespace epwise::report {
namespace {

using units::kGiB;

Json chance(double value) {
  return std::round(value * 1000) / 1000;
}

Json advised_memory_json(double needed, double limit, double out_of_memory) {
  Json json = {{"needed_gib", rounded(needed / kGiB)}};
  if (limit > 0) {
    json["limit_gib"] = rounded(limit / kGiB);
    json["headroom_gib"] = rounded((limit - needed) / kGiB);
    json["out_of_memory"] = chance(out_of_memory);
  }
  return json;
}

Json edits_json(const advise::Edits& edits) {
  Json list = Json::array();
  for (const advise::Edit& edit : edits) {
    Json json = {{"field", edit.field}};
    json["to"] = edit.drop ? Json(nullptr) : Json(edit.value.to_text());
    list.push_back(json);
  }
  return list;
}

void add_legality(const advise::Legality& legality, Json& json) {
  json["legal"] = legality.legal;
  if (!legality.legal) {
    json["code"] = legality.rule == nullptr ? Json(nullptr) : Json(legality.rule->code);
    json["rule"] = legality.rule == nullptr ? Json(nullptr) : Json(legality.rule->id);
    json["reason"] = legality.reason;
  }
  Json with = Json::array();
  for (const advise::Companion& companion : legality.companions) {
    with.push_back({{"rule", companion.rule->id}, {"changes", edits_json(companion.edits)}});
  }
  if (!with.empty()) {
    json["with"] = with;
  }
}

Json dispatcher_json(const advise::DispatcherRow& row) {
  Json json = {{"name", row.name}, {"present", row.present}};
  add_legality(row.legality, json);
  if (row.step) {
    json["step_time_s"] = range_json(*row.step);
    json["memory"] = {{"needed_gib", rounded(row.needed_memory / kGiB)}, {"fits", row.fits}};
    json["sms"] = row.sms;
  }
  json["rank"] = row.rank > 0 ? Json(row.rank) : Json(nullptr);
  json["tie"] = row.tie;
  if (row.documented) {
    json["first_by"] = "documents";
  }
  if (!row.measurement.empty()) {
    json["decides"] = row.measurement;
  }
  if (!row.guidance.empty()) {
    json["guidance"] = row.guidance;
  }
  return json;
}

Json sm_sweep_json(const advise::SmSweep& sweep) {
  Json points = Json::array();
  for (const advise::SmSweep::Point& point : sweep.points) {
    points.push_back({{"sms", point.sms}, {"step_time_s", rounded(point.step)}});
  }
  return {{"dispatcher", sweep.dispatcher},
          {"in_use", sweep.in_use},
          {"present", sweep.present},
          {"chosen", sweep.chosen},
          {"flat", {sweep.flat_from, sweep.flat_to}},
          {"regret", rounded(sweep.regret)},
          {"of_first_plan", sweep.of_plan},
          {"points", points}};
}

Json rung_json(const advise::RungState& rung) {
  Json json = {{"name", rung.name}, {"move", rung.move}, {"present", rung.present}};
  add_legality(rung.legality, json);
  Json needs = Json::array();
  for (const advise::NeedState& need : rung.needs) {
    Json each = {{"what", need.what}, {"met", need.met}, {"comes_along", need.arranged}};
    each["code"] = need.rule == nullptr ? Json(nullptr) : Json(need.rule->code);
    needs.push_back(each);
  }
  json["needs"] = needs;
  if (rung.step) {
    json["step_time_s"] = range_json(*rung.step);
    json["added"] = range_json(*rung.added);
    json["together"] = range_json(*rung.together);
    json["alone"] = rung.alone ? range_json(*rung.alone) : Json(nullptr);
    json["verdict"] = rung.verdict == sim::Verdict::b   ? "gain"
                      : rung.verdict == sim::Verdict::a ? "loss"
                                                        : "no_clear_gain";
    json["fits"] = rung.fits;
    if (rung.gainers_gain) {
      json["not_counted"] = {{"changes", advise::assignments_text(rung.gainers)},
                             {"speedup", range_json(*rung.gainers_gain)}};
    }
  }
  return json;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json plan_json(const advise::Plan& plan) {
  Json changes = Json::array();
  for (const advise::PlanChange& change : plan.changes) {
    changes.push_back({{"field", change.field},
                       {"from", text_or_null(change.from)},
                       {"to", text_or_null(change.to)},
                       {"tier", lint::to_string(change.tier)},
                       {"why", change.why}});
  }
  Json bring_up = Json::array();
  for (const advise::BringUp& each : plan.bring_up) {
    bring_up.push_back({{"what", each.what}, {"check", each.check}});
  }
  Json environment = Json::object();
  for (const auto& [name, value] : plan.environment) {
    environment[name] = value;
  }
  Json json = {
      {"changes", changes},
      {"speedup", range_json(plan.speedup)},
      {"verdict",
       plan.verdict == sim::Verdict::b   ? "faster"
       : plan.verdict == sim::Verdict::a ? "slower"
                                         : "too_close"},
      {"step_time_s", range_json(plan.step)},
      {"memory", advised_memory_json(plan.needed_memory, plan.memory_limit, plan.out_of_memory)},
      {"risk", {{"level", advise::to_string(plan.risk)}, {"because", plan.risks}}},
      {"bring_up", bring_up},
      {"environment", environment},
      {"diff", plan.diff}};
  if (!plan.means.empty()) {
    json["means"] = plan.means;
  }
  for (const lint::Rule* rule : plan.settles) {
    json["settles"].push_back(rule->code);
  }
  if (plan.documented) {
    json["documented_dispatcher"] = {
        {"name", plan.documented->name},
        {"because", documented_text(plan)},
        {"step_time_s",
         plan.documented->step ? range_json(*plan.documented->step) : Json(nullptr)}};
  }
  if (!plan.obstacle.empty()) {
    json["obstacle"] = plan.obstacle;
  }
  if (!plan.measurement.empty()) {
    json["decides"] = plan.measurement;
  }
  return json;
}

template <class T>
Json list_json(const std::vector<T>& items, Json (*write)(const T&)) {
  Json list = Json::array();
  for (const T& item : items) {
    list.push_back(write(item));
  }
  return list;
}

Json repair_json(const fix::Repair& repair) {
  Json edits = Json::array();
  for (const fix::Repair::Edit& edit : repair.edits) {
    edits.push_back({{"field", edit.field},
                     {"from", edit.before ? Json(*edit.before) : Json(nullptr)},
                     {"to", edit.after ? Json(*edit.after) : Json(nullptr)}});
  }
  return {{"rule", repair.rule}, {"tier", lint::to_string(repair.tier)}, {"changes", edits}};
}

Json rival_json(const advise::Rival& rival) {
  return {{"name", rival.name},
          {"step_time_s", range_json(rival.step)},
          {"speedup", range_json(rival.speedup)},
          {"verdict",
           rival.verdict == sim::Verdict::b   ? "faster"
           : rival.verdict == sim::Verdict::a ? "slower"
                                              : "too_close"},
          {"warning", rival.warning.empty() ? Json(nullptr) : Json(rival.warning)},
          {"place", rival.place}};
}

/// The measured step, and what a profile showed of it.
Json anchor_json(const advise::Advice& advice) {
  Json json = {{"step_time_s", rounded(advice.anchor->measured)},
               {"predicted_s", rounded(advice.anchor->predicted)},
               {"dispatch_time_used", !advice.doubtful_dispatch && !advice.anchor->mixed}};
  const advise::Anchor& anchor = *advice.anchor;
  const auto add = [&](const char* name, double share) {
    if (share > 0) {
      json[name] = chance(share);
    }
  };
  add("exposed_share", anchor.exposed);
  add("product_share", anchor.products);
  add("idle_share", anchor.idle);
  if (anchor.dispatch > 0) {
    json["dispatch_time_s"] = rounded(anchor.dispatch);
  }
  json["sends_mixed"] = anchor.mixed;
  if (!anchor.source.empty()) {
    json["source"] = anchor.source;
  }
  return json;
}

Json published_json(const advise::PublishedRow& row) {
  const advise::PublishedRuns& runs = row.runs;
  Json figures = Json::object();
  for (const advise::PublishedRun& run : runs.runs) {
    figures[run.dispatcher] = run.figure;
  }
  Json json = {{"model", runs.model},
               {"hw", runs.hw},
               {"precision", runs.precision},
               {"unit", to_string(runs.unit)},
               {"runs", figures},
               {"source", runs.source},
               {"date", runs.date},
               {"status", runs.status},
               {"likeness", row.likeness},
               {"measured_ratio", rounded(row.measured)}};
  json["gpus"] = runs.gpus > 0 ? Json(runs.gpus) : Json(nullptr);
  json["expert_ranks"] = runs.expert_ranks > 0 ? Json(runs.expert_ranks) : Json(nullptr);
  json["predicted_ratio"] = row.predicted > 0 ? Json(rounded(row.predicted)) : Json(nullptr);
  if (!runs.caution.empty()) {
    json["caution"] = runs.caution;
  }
  return json;
}

Json shortage_json(const advise::Shortage& shortage) {
  return {{"least_gib", rounded(shortage.least / kGiB)},
          {"limit_gib", rounded(shortage.limit / kGiB)},
          {"gpus", shortage.gpus}};
}

Json tuning_json(const advise::TuningStep& step) {
  return {{"what", step.what},
          {"check", step.check},
          {"step_time_s", range_json(step.step)},
          {"speedup", range_json(step.added)},
          {"keep", step.keep.empty() ? Json(nullptr) : Json(step.keep)},
          {"wall", step.wall}};
}

/// The answers to --which and --purpose, and why no plan fits.
void add_answers(const advise::Advice& advice, Json& json) {
  if (advice.fitting) {
    json["fits"] = false;
  }
  if (advice.shortage) {
    json["shortage"] = shortage_json(*advice.shortage);
  }
  if (advice.choice) {
    json["which"] = {{"dispatcher", advice.choice->name},
                     {"documented", advice.choice->documented},
                     {"because", advice.choice->because},
                     {"published", list_json(advice.choice->published, published_json)}};
    if (!advice.choice->family.empty()) {
      json["which"]["model_family"] = advice.choice->family;
    }
    if (!advice.choice->memory.empty()) {
      json["which"]["memory"] = advice.choice->memory;
    }
  }
  if (!advice.next.empty()) {
    Json next = Json::array();
    for (const advise::BringUp& each : advice.next) {
      next.push_back({{"what", each.what}, {"check", each.check}});
    }
    json["after_bring_up"] = next;
  }
  if (!advice.settled.empty()) {
    json["settled"] = list_json(advice.settled, repair_json);
  }
  if (!advice.tuning.empty()) {
    json["tuning"] = list_json(advice.tuning, tuning_json);
  }
  if (!advice.withheld.empty()) {
    json["withheld"] = advice.withheld;
  }
  if (!advice.remarks.empty()) {
    json["remarks"] = advice.remarks;
  }
  if (!advice.procedure.empty()) {
    json["procedure"] = advice.procedure;
  }
}

void add_advice_findings(const advise::Advice& advice, Json& json) {
  const advise::Diagnosis& diagnosis = advice.diagnosis;
  Json shares = Json::object();
  for (const auto& [name, share] : diagnosis.shares) {
    shares[name] = chance(share);
  }
  json["wall"] = {{"name", diagnosis.wall},
                  {"share", chance(diagnosis.share)},
                  {"sure", chance(diagnosis.sure)},
                  {"shares", shares},
                  {"helps", diagnosis.advice}};
  if (diagnosis.arithmetic > 0) {
    json["wall"]["arithmetic_at_peak"] = chance(diagnosis.arithmetic);
  }
  for (const advise::Diagnosis::Beside& each : diagnosis.beside) {
    json["wall"]["beside"].push_back(
        {{"name", each.wall}, {"share", chance(each.share)}, {"helps", each.advice}});
  }
  json["step_time_s"] = range_json(advice.present->step_time);
  if (advice.calibration) {
    json["calibration"] = effect_json(*advice.calibration);
  }
  if (!advice.fitted.empty()) {
    json["fitted"] = advice.fitted;
  }
  if (advice.anchor) {
    json["measured"] = anchor_json(advice);
  }
  json["memory"] = advised_memory_json(
      advice.present->needed_memory.value, advice.present->memory_limit, advice.fits_risk);
  json["dispatchers"] = list_json(advice.dispatchers, dispatcher_json);
  json["sm_counts"] = list_json(advice.sweeps, sm_sweep_json);
  json["ladder"] = {{"start_s", range_json(advice.ladder_start)},
                    {"rungs", list_json(advice.ladder, rung_json)}};
  json["plans"] = list_json(advice.plans, plan_json);
  json["too_close"] = list_json(advice.close, plan_json);
  add_answers(advice, json);
  if (!advice.rivals.empty()) {
    json["among"] = list_json(advice.rivals, rival_json);
    json["place"] = advice.own_place;
  }
  json["search"] = {{"space", advice.tally.space},
                    {"looked_at", advice.tally.looked_at},
                    {"exhaustive", advice.tally.exhaustive},
                    {"stopped", advice.tally.stopped}};
}

}  // namespace

std::string advise_json(const AdvisedRecipe& recipe,
                        const std::vector<session::NewerRelease>& newer) {
  const advise::Advice& advice = recipe.advice;
  Json json = {{"schema", "epwise.advise/1"},
               {"path", recipe.path},
               {"target", recipe.target},
               {"goal", to_string(advice.goal)},
               {"repairs", list_json(advice.repairs, repair_json)}};
  add_newer_releases(newer, json);
  Json left = Json::array();
  for (const lint::Rule* rule : advice.left) {
    left.push_back(rule->code);
  }
  json["errors_left"] = left;
  if (!recipe.simulated.empty()) {
    json["simulated"] = recipe.simulated;
  }
  if (!recipe.accepted.empty()) {
    json["accepted"] = recipe.accepted;
  }
  if (advice.present) {
    add_advice_findings(advice, json);
    return json_text(json);
  }
  json["missing"] = missing_json(advice.missing);
  return json_text(json);
}

std::string why_not_json(const AnsweredWhyNot& answered,
                         const std::vector<session::NewerRelease>& newer) {
  const advise::WhyNot& answer = answered.answer;
  Json json = {{"schema", "epwise.why-not/1"},
               {"path", answered.path},
               {"field", answer.field},
               {"value", answer.value}};
  add_newer_releases(newer, json);
  add_legality(answer.legality, json);
  if (answer.legality.legal && !answer.legality.reason.empty()) {
    json["note"] = answer.legality.reason;
  }
  if (answer.legality.legal) {
    json["warns"] = Json::array();
  }
  json["changes_training"] = answered.changes_training;
  for (const lint::Rule* rule : answer.legality.warned) {
    json["warns"].push_back({{"code", rule->code}, {"rule", rule->id}, {"what", rule->what}});
  }
  if (answer.step) {
    json["step_time_s"] = range_json(*answer.step);
    json["other_model"] = answer.other_model;
    if (!answer.other_model) {
      json["speedup"] = range_json(*answer.speedup);
    }
    if (answer.tokens != 1) {
      json["tokens_ratio"] = rounded(answer.tokens);
    }
    json["memory"] = {{"needed_gib", rounded(answer.needed_memory / kGiB)},
                      {"fits", answer.fits},
                      {"recipe_fits", answer.recipe_fits}};
    Json costs = Json::object();
    for (const auto& [name, seconds] : answer.costs) {
      costs[name] = rounded(seconds);
    }
    json["costs_s"] = costs;
    if (answer.around) {
      Json changes = Json::array();
      for (const advise::PlanChange& change : answer.around->changes) {
        changes.push_back(change_text(change));
      }
      json["around"] = changes;
      json["around_speedup"] = range_json(*answer.around_speedup);
    }
    if (answer.shortage) {
      json["shortage"] = shortage_json(*answer.shortage);
    }
  }
  return json_text(json);
}

}  // namespace epwise::report
