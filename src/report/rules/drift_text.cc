#include <array>
#include <string>

#include <fmt/format.h>

#include "report/rules/drift_writer.h"

namespace epwise::report {
namespace {

using audit::Drift;
using audit::Ground;

Role role_of(Ground ground) {
  switch (ground) {
    case Ground::changed:
    case Ground::gone:
      return Role::warning;
    default:
      return Role::dim;
  }
}

std::string line_of(const Drift& drift) {
  const auto& reference = *drift.reference;
  std::string text = fmt::format("{} ({})  {}", drift.rule->id, drift.rule->code, reference.path);
  if (!reference.lines.empty()) {
    text += fmt::format(":{}", reference.lines);
  }
  if (!drift.symbol.empty()) {
    text += fmt::format(" in {}", drift.symbol);
  }
  if (drift.ground == Ground::moved) {
    text += fmt::format(", {:+} lines", drift.shift);
  }
  return text;
}

}  // namespace

std::string drift_text(const audit::DriftReport& report, const Style& style) {
  constexpr std::array kOrder = {
      Ground::gone, Ground::changed, Ground::unknown, Ground::moved, Ground::unchanged};
  const Paint paint(style.colour, style.hyperlinks);
  std::string out;
  std::string summary;
  for (const auto ground : kOrder) {
    int count = 0;
    const bool named = ground == Ground::gone || ground == Ground::changed ||
                       (style.verbose && ground != Ground::unchanged);
    for (const auto& drift : report.drifts) {
      if (drift.ground == ground) {
        ++count;
        out += named ? fmt::format("{}  {}\n",
                                   paint(role_of(ground), fmt::format("{:<8}", to_string(ground))),
                                   line_of(drift))
                     : "";
      }
    }
    if (count > 0) {
      const auto word = ground == Ground::unknown ? "without a fingerprint" : to_string(ground);
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, word);
    }
  }
  return out + fmt::format("{}: {} references: {}\n",
                           report.repository,
                           report.drifts.size(),
                           summary.empty() ? "none" : summary);
}

}  // namespace epwise::report
