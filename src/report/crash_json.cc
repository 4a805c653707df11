#include <algorithm>

#include <nlohmann/json.hpp>

#include "report/crash_writer.h"
#include "report/json_text.h"

namespace epwise::report {
namespace {

using Json = nlohmann::ordered_json;

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

Json suspect_json(const audit::Suspect& suspect, const CrashReport& report) {
  Json json = {{"rule", suspect.rule->id},
               {"code", suspect.rule->code},
               {"what", suspect.rule->what},
               {"basis", audit::to_string(suspect.basis)},
               {"score", suspect.score},
               {"sure", suspect.sure},
               {"grounds", suspect.grounds}};
  if (report.recipe) {
    const auto& findings = report.recipe->result.findings;
    const auto found = std::ranges::find(findings, suspect.rule, &lint::Finding::rule);
    json["found"] = found != findings.end();
    if (found != findings.end()) {
      json["finding"] = found->message;
      for (const auto& fix : found->fixes) {
        json["fixes"].push_back(fix.title);
      }
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
    crashes.push_back({{"line", each.crash.line},
                       {"exception", each.crash.exception},
                       {"message", each.crash.message},
                       {"kind", to_string(each.crash.kind)},
                       {"ranks", each.crash.ranks},
                       {"times", each.crash.times},
                       {"advice", each.advice},
                       {"suspects", suspects}});
  }
  Json json = {{"schema", "epwise.crash/1"}, {"log", report.log}, {"crashes", crashes}};
  if (report.first_failure && report.first_failure->rank >= 0) {
    json["first_failure"] = {{"rank", report.first_failure->rank},
                             {"exit_code", report.first_failure->exit_code}};
  }
  return json_text(json);
}

}  // namespace epwise::report
