#include "report/json_text.h"
#include "report/rules/coverage_writer.h"

namespace epwise::report {
namespace {

Json rows_json(const audit::RowCount& count) {
  return {{"rows", count.rows},
          {"rules", count.rules},
          {"listed", count.listed},
          {"missing", count.missing}};
}

}  // namespace

std::string coverage_json(const CoverageReport& report) {
  const auto& rules = report.rules;
  Json catalogue = rows_json(rules.total);
  for (const auto& [name, count] : rules.groups) {
    catalogue["groups"][std::string(name)] = rows_json(count);
  }
  Json bare = Json::array();
  for (const auto* rule : rules.without_reference) {
    bare.push_back(rule->id);
  }
  Json json = {{"schema", "epwise.coverage/1"},
               {"catalogue", catalogue},
               {"sites", rules.sites},
               {"rules",
                {{"by_group", rules.by_group},
                 {"by_severity", rules.by_severity},
                 {"by_confidence", rules.by_confidence},
                 {"without_reference", bare}}}};
  if (report.parameters) {
    json["recipe"] = {{"path", report.path},
                      {"written", report.parameters->written},
                      {"constrained", report.parameters->constrained},
                      {"unchecked", report.parameters->unchecked}};
  }
  return json_text(json);
}

}  // namespace epwise::report
