#include "report/json_text.h"
#include "report/rules/drift_writer.h"

namespace epwise::report {

std::string drift_json(const audit::DriftReport& report) {
  Json references = Json::array();
  for (const auto& drift : report.drifts) {
    references.push_back({{"rule", drift.rule->id},
                          {"code", drift.rule->code},
                          {"ground", to_string(drift.ground)},
                          {"path", drift.reference->path},
                          {"lines", drift.reference->lines},
                          {"commit", drift.reference->commit},
                          {"symbol", drift.symbol},
                          {"shift", drift.shift}});
  }
  const Json json = {
      {"schema", "epwise.drift/1"}, {"repository", report.repository}, {"references", references}};
  return json_text(json);
}

}  // namespace epwise::report
