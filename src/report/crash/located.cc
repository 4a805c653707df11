#include "audit/standing.h"
#include "report/crash/writer.h"

namespace epwise::report {

std::vector<const lint::Finding*> located(const lint::Rule& rule, const CrashReport& report) {
  if (!report.recipe) {
    return {};
  }
  const auto where = audit::standing(rule, report.recipe->result);
  if (where.kind != audit::Standing::Kind::found) {
    return {};
  }
  std::vector<const lint::Finding*> all{where.finding};
  if (rule.builtin) {
    for (const auto& finding : report.recipe->result.findings) {
      if (finding.rule == &rule && &finding != where.finding) {
        all.push_back(&finding);
      }
    }
  }
  return all;
}

}  // namespace epwise::report
