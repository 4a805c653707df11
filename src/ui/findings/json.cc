#include "ui/json.h"

#include <cmath>

#include <fmt/format.h>

#include "lint/renaming.h"
#include "recipe/framework.h"
#include "recipe/trainers/trainer_facts.h"
#include "ui/findings/lint_report.h"
#include "ui/findings/writer.h"
#include "ui/place.h"

/// Format epwise.lint/1. Within this version keys are only added: a change of an internal type must
/// not affect this format.
namespace epwise::report {
namespace {

Json value_v1(const expr::Value& value);

Json real_v1(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  return value;
}

Json list_v1(const expr::Value::List& list) {
  Json json = Json::array();
  for (const expr::Value& item : list) {
    json.push_back(value_v1(item));
  }
  return json;
}

/// Typed: null, true, 8, 0.5, "text", [1, 2]; a version as text. A missing value is an object with
/// the reason: {"unknown": ["gpus"]}, {"crash": "TypeError: …"}.
Json value_v1(const expr::Value& value) {
  if (const bool* const boolean = value.boolean()) {
    return *boolean;
  }
  if (const std::int64_t* const integer = value.integer()) {
    return *integer;
  }
  if (const double* const real = value.real()) {
    return real_v1(*real);
  }
  if (const std::string* const text = value.text()) {
    return *text;
  }
  if (const expr::Value::List* const list = value.list()) {
    return list_v1(*list);
  }
  if (const expr::Unknown* const unknown = value.unknown()) {
    return {{"unknown", unknown->needs}};
  }
  if (const expr::Crash* const crash = value.crashed()) {
    return {{"crash", crash->what}};
  }
  return value.is_unset() ? Json(nullptr) : Json(value.to_text());
}

Json id_v1(const lint::Rule* rule) {
  return rule == nullptr ? Json(nullptr) : Json(rule->id);
}

Json code_v1(const lint::Rule* rule) {
  return rule == nullptr ? Json(nullptr) : Json(rule->code);
}

/// Path and range; null if no part of the text applies.
void add_place(Json& json, const LintedFile& file, const text::Mark& mark) {
  const Place place = place_of(file, mark);
  json["path"] = place.path;
  json["line"] = place.positioned ? Json(place.start.line) : Json(nullptr);
  json["column"] = place.positioned ? Json(place.start.column) : Json(nullptr);
  json["end_line"] = place.positioned ? Json(place.finish.line) : Json(nullptr);
  json["end_column"] = place.positioned ? Json(place.finish.column) : Json(nullptr);
}

Json location_v1(const LintedFile& file, const lint::Location& location) {
  Json json;
  add_place(json, file, location.mark);
  json["pointer"] = location.pointer;
  json["label"] = location.label;
  return json;
}

Json fix_v1(const LintedFile& file, const lint::Fix& fix) {
  Json edits = Json::array();
  for (const lint::Fix::Edit& edit : fix.edits) {
    Json json = {{"action",
                  lint::is_renaming(edit) ? "rename"
                  : edit.value.empty()    ? "remove"
                  : edit.mark.nowhere()   ? "add"
                                          : "set"},
                 {"field", edit.field},
                 {"value", edit.value.empty() ? Json(nullptr) : Json(edit.value)}};
    add_place(json, file, edit.mark);
    edits.push_back(std::move(json));
  }
  return {{"title", fix.title},
          {"tier", lint::to_string(fix.tier)},
          {"tried", !fix.patches.empty()},
          {"edits", std::move(edits)}};
}

Json evidence_v1(const lint::Evidence& evidence) {
  return {{"name", evidence.name}, {"value", evidence.value}, {"origin", evidence.origin}};
}

Json finding_v1(const LintedFile& file, const lint::Finding& finding) {
  Json json = {{"rule", finding.rule->id},
               {"code", finding.rule->code},
               {"severity", lint::to_string(finding.severity)},
               {"confidence", lint::to_string(finding.rule->confidence)},
               {"effect", lint::to_string(finding.rule->effect)},
               {"when", lint::to_string(finding.rule->moment)},
               {"message", finding.message}};
  add_place(json, file, finding.primary.mark);
  json["pointer"] = finding.primary.pointer;
  json["label"] = finding.primary.label;
  Json related = Json::array();
  for (const lint::Location& location : finding.related) {
    related.push_back(location_v1(file, location));
  }
  Json evidence = Json::array();
  for (const lint::Evidence& entry : finding.evidence) {
    evidence.push_back(evidence_v1(entry));
  }
  Json fixes = Json::array();
  for (const lint::Fix& fix : finding.fixes) {
    fixes.push_back(fix_v1(file, fix));
  }
  json["related"] = std::move(related);
  json["evidence"] = std::move(evidence);
  json["assumed"] = finding.assumed;
  json["help"] = finding.rule->why;
  json["preview"] = finding.rule->preview;
  json["fixes"] = std::move(fixes);
  json["elsewhere"] = finding.elsewhere;
  return json;
}

Json launch_v1(const lint::Launch& launch) {
  return {{"verdict", lint::to_string(launch.verdict)},
          {"rule", id_v1(launch.rule)},
          {"code", code_v1(launch.rule)},
          {"at", launch.stage},
          {"crash", launch.crash.empty() ? Json(nullptr) : Json(launch.crash)},
          {"needs", launch.needs}};
}

Json optional_text(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

Json repaired_v1(const Repaired& repaired) {
  Json changes = Json::array();
  for (const Repaired::Change& change : repaired.changes) {
    changes.push_back({{"field", change.field},
                       {"before", optional_text(change.before)},
                       {"after", optional_text(change.after)},
                       {"tier", lint::to_string(change.tier)},
                       {"rule", change.rule}});
  }
  Json left = Json::array();
  for (const Repaired::Left& error : repaired.left) {
    left.push_back({{"rule", id_v1(error.rule)},
                    {"code", code_v1(error.rule)},
                    {"tier", error.tier ? Json(lint::to_string(*error.tier)) : Json(nullptr)}});
  }
  return {{"made", repaired.made},
          {"bounded", repaired.bounded},
          {"changes", std::move(changes)},
          {"errors_left", std::move(left)}};
}

Json file_v1(const LintedFile& file) {
  const bool known = file.recipe != nullptr;
  Json json = {
      {"path", file.path},
      {"framework", known ? Json(recipe::to_string(file.recipe->framework)) : Json(nullptr)},
      {"framework_version", file.result.framework_version},
      {"version_assumed", file.result.version_assumed},
      {"version_unknown", file.result.version_unknown},
      {"target", file.target},
      {"readable", known && file.recipe->readable},
      {"rules_checked", file.result.rules_checked},
      {"launch", launch_v1(file.result.launch)}};
  if (known && recipe::has_trainer(*file.recipe)) {
    json["trainer"] = file.recipe->raw.at("raw.trainer").to_text();
    const expr::Value& role = file.recipe->raw.at("raw.trainer_role");
    json["role"] = role.is_unset() ? Json(nullptr) : Json(role.to_text());
  }
  Json effective = Json::array();
  for (const facts::Rewrite& rewrite : file.result.effective) {
    effective.push_back({{"field", rewrite.field},
                         {"written", value_v1(rewrite.before)},
                         {"executed", value_v1(rewrite.after)},
                         {"why", rewrite.why}});
  }
  Json findings = Json::array();
  for (const lint::Finding* finding : shown(file)) {
    findings.push_back(finding_v1(file, *finding));
  }
  Json open = Json::array();
  for (const lint::Open& entry : file.result.open) {
    open.push_back(
        {{"rule", id_v1(entry.rule)}, {"code", code_v1(entry.rule)}, {"needs", entry.needs}});
  }
  if (!file.result.accepted.empty()) {
    Json accepted = Json::array();
    for (const lint::Accepted& each : file.result.accepted) {
      Json entry = finding_v1(file, each.finding);
      entry["accepted"] = {{"by", each.mark.nowhere() ? "baseline" : "comment"},
                           {"source", each.source},
                           {"reason", each.reason}};
      accepted.push_back(std::move(entry));
    }
    json["accepted"] = std::move(accepted);
  }
  json["effective"] = std::move(effective);
  json["findings"] = std::move(findings);
  json["open"] = std::move(open);
  json["crashed_rules"] = file.result.crashed_rules;
  if (file.repaired) {
    json["fix"] = repaired_v1(*file.repaired);
  }
  return json;
}

Json budget_v1(const Budget& budget) {
  const bool broken = budget.state == Budget::State::broken;
  const bool kept = budget.state == Budget::State::kept;
  return {{"path", budget.path},
          {"option", budget.option},
          {"limit", budget.limit},
          {"state",
           broken ? "broken"
           : kept ? "kept"
                  : "undecided"},
          {"text", budget.text}};
}

Json summary_v1(const LintReport& report, const Tally& sum) {
  Json json = {{"files", sum.files},
               {"rules", sum.rules},
               {"errors", sum.errors},
               {"warnings", sum.warnings},
               {"notes", sum.notes},
               {"open", sum.open},
               {"starts", sum.starts},
               {"rejects", sum.rejects},
               {"undecided", sum.undecided},
               {"strict", report.strict},
               {"exit_code", report.exit_code}};
  if (sum.accepted > 0) {
    json["accepted"] = sum.accepted;
  }
  if (report.baseline) {
    json["baseline"] = {{"path", report.baseline->path},
                        {"known", report.baseline->known},
                        {"settled", report.baseline->settled}};
  }
  add_newer_releases(report.newer_releases, json);
  if (!report.budgets.empty()) {
    json["budgets"] = Json::array();
    for (const Budget& budget : report.budgets) {
      json["budgets"].push_back(budget_v1(budget));
    }
  }
  return json;
}

/// One line per file, so that a diff of two reports shows the files that differ.
class JsonText : public Writing {
 public:
  using Writing::Writing;

  void put(const LintedFile& file) override { files_.add(file_v1(file)); }

  void finish(const Out& out) override {
    out(
        fmt::format("{{\"schema\":\"epwise.lint/"
                    "1\",\n\"tool\":{},\n\"summary\":{},\n\"unreadable\":{},\n\"files\":",
                    json_line({{"name", "epwise"}, {"version", report().tool_version}}),
                    json_line(summary_v1(report(), sum())),
                    json_line(report().unreadable)));
    files_.give(out);
    out("}\n");
  }

 private:
  JsonRows files_;
};

}  // namespace

std::unique_ptr<Writing> start_json(const LintReport& report, const Style& style) {
  return std::make_unique<JsonText>(report, style);
}

}  // namespace epwise::report
