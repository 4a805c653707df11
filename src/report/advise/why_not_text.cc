#include <string>

#include <fmt/format.h>

#include "report/advise/words.h"
#include "report/advise/writer.h"
#include "report/columns.h"
#include "report/duration_text.h"
#include "report/style.h"

namespace epwise::report {

std::string why_not_text(const AnsweredWhyNot& answered, const Style& style) {
  const advise::WhyNot& answer = answered.answer;
  const Paint paint(style.colour, style.hyperlinks);
  std::string out = paint(Role::strong, printable(answered.path, style.unicode)) + " on " +
                    printable(answered.target, style.unicode) + "\n";
  out += fmt::format("  {}={}: ", answer.field, answer.value);
  out += answer.legality.legal
             ? std::string("legal\n")
             : printable("not legal: " + reason_text(answer.legality), style.unicode) + "\n";
  const std::string with = companions_text(answer.legality.companions);
  if (answer.legality.legal && !answer.legality.reason.empty()) {
    out += "  " + printable(answer.legality.reason, style.unicode) + "\n";
  }
  if (!with.empty()) {
    out += "  " + with + "\n";
  }
  if (!answer.step) {
    return out + "  no prediction\n";
  }
  out += fmt::format(
      "  step {}; {}\n", range_text(*answer.step), gain_text(*answer.speedup, answer.verdict));
  out += fmt::format("  memory {}{}{}\n",
                     gib_text(answer.needed_memory),
                     answer.memory_limit > 0 ? " of " + gib_text(answer.memory_limit) : "",
                     answer.fits ? "" : ": doesn't fit");
  for (const auto& [name, seconds] : answer.costs) {
    constexpr double kWorthTelling = 1e-3;  // of the step
    if (seconds > kWorthTelling * answer.step->value) {
      out += fmt::format("  {} grows by {}\n", name, seconds_text(seconds));
    }
  }
  return out;
}

}  // namespace epwise::report
