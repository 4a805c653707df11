#include <fmt/format.h>

#include "report/columns.h"
#include "report/formats.h"
#include "report/place.h"
#include "report/style.h"
#include "report/tally.h"

namespace epwise::report {

std::string write_concise(const LintReport& report, const Style& style) {
  const Paint paint(style.colour, style.hyperlinks);
  std::string out;
  for (const LintedFile& file : report.files) {
    for (const lint::Finding* finding : shown(file)) {
      const Place place = place_of(file, finding->primary.mark);
      out += fmt::format("{}:{}:{}: {}[{}] {}\n",
                         printable(place.path, style.unicode),
                         place.start.line,
                         place.start.column,
                         paint(role_of(finding->severity), lint::to_string(finding->severity)),
                         finding->rule->id,
                         printable(finding->message, style.unicode));
    }
  }
  return out;
}

}  // namespace epwise::report
