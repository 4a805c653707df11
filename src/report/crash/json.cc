#include "audit/standing.h"
#include "report/crash/writer.h"
#include "report/json_text.h"
#include "report/place.h"

namespace epwise::report {
namespace {

std::string_view to_string(audit::Crash::Kind kind) {
  switch (kind) {
    case audit::Crash::Kind::raised:
      return "raised";
    case audit::Crash::Kind::refused:
      return "refused";
    case audit::Crash::Kind::mentioned:
      return "mentioned";
    case audit::Crash::Kind::aftermath:
      break;
  }
  return "aftermath";
}

/// Line and column are null for what is not written anywhere.
Json finding_json(const lint::Finding& finding, const LintedFile& recipe) {
  const Place place = place_of(recipe, finding.primary.mark);
  Json fixes = Json::array();
  for (const auto& fix : finding.fixes) {
    fixes.push_back(fix.title);
  }
  return {{"message", finding.message},
          {"path", place.path},
          {"line", place.positioned ? Json(place.start.line) : Json(nullptr)},
          {"column", place.positioned ? Json(place.start.column) : Json(nullptr)},
          {"pointer", finding.primary.pointer},
          {"fixes", fixes}};
}

Json suspect_json(const audit::Suspect& suspect, const CrashReport& report) {
  Json json = {{"rule", suspect.rule->id},
               {"code", suspect.rule->code},
               {"what", suspect.rule->what},
               {"basis", audit::to_string(suspect.basis)},
               {"score", suspect.score},
               {"sure", suspect.sure},
               {"grounds", suspect.grounds}};
  if (report.recipe) {
    const auto where = audit::standing(*suspect.rule, report.recipe->result);
    json["found"] = where.kind == audit::Standing::Kind::found;
    json["standing"] = audit::to_string(where.kind);
    if (where.by != nullptr) {
      json["explained_by"] = where.by->code;
    }
    if (where.kind == audit::Standing::Kind::found) {
      json["finding"] = where.finding->message;
      for (const auto& fix : where.finding->fixes) {
        json["fixes"].push_back(fix.title);
      }
      for (const auto* finding : located(*suspect.rule, report)) {
        json["findings"].push_back(finding_json(*finding, *report.recipe));
      }
    }
  }
  return json;
}

Json trouble_json(const CrashCase& each, const CrashReport& report) {
  const auto& trouble = *each.trouble->trouble;
  Json json = {{"name", trouble.name},
               {"what", trouble.what},
               {"words", each.trouble->words},
               {"why", trouble.why},
               {"hints", each.trouble->hints},
               {"fields", trouble.fields},
               {"rules", trouble.rules},
               {"first", trouble.first}};
  if (report.recipe && &each == &report.cases.front()) {
    for (const auto& trace : report.settings) {
      json["settings"].push_back({{"name", trace.name}, {"value", trace.value.to_text()}});
    }
    for (const auto* rule : report.about) {
      const auto where = audit::standing(*rule, report.recipe->result);
      json["standings"].push_back(
          {{"code", rule->code}, {"standing", audit::to_string(where.kind)}});
    }
  }
  return json;
}

}  // namespace

std::string crash_json(const CrashReport& report) {
  Json crashes = Json::array();
  for (const auto& each : report.cases) {
    Json suspects = Json::array();
    for (const auto& suspect : each.suspects) {
      suspects.push_back(suspect_json(suspect, report));
    }
    const Json trouble = each.trouble ? trouble_json(each, report) : Json();
    crashes.push_back({{"line", each.crash.line},
                       {"exception", each.crash.exception},
                       {"message", each.crash.message},
                       {"kind", to_string(each.crash.kind)},
                       {"ranks", each.crash.ranks},
                       {"times", each.crash.times},
                       {"advice", each.advice},
                       {"suspects", suspects},
                       {"trouble", trouble}});
  }
  Json json = {{"schema", "epwise.crash/1"}, {"log", report.log}, {"crashes", crashes}};
  if (report.first_failure && report.first_failure->rank >= 0) {
    json["first_failure"] = {{"rank", report.first_failure->rank},
                             {"exit_code", report.first_failure->exit_code}};
  }
  return json_text(json);
}

}  // namespace epwise::report
