#include "report/verdict.h"

#include <fmt/format.h>

#include "recipe/framework.h"
#include "report/place.h"
#include "report/tally.h"

namespace epwise::report {

std::string verdict_text(const LintedFile& file) {
  if (!is_readable(file)) {
    return "not checked: it holds no recipe that can be read";
  }
  const lint::Launch& launch = file.result.launch;
  const std::string stage =
      launch.stage.empty() ? std::string() : fmt::format(" at stage {}", launch.stage);
  switch (launch.verdict) {
    case lint::Verdict::starts:
      return "starts";
    case lint::Verdict::rejects:
      if (launch.rule == nullptr) {
        return fmt::format("would not start: {}{}", launch.crash, stage);
      }
      return fmt::format("would not start: {} ({}){}{}",
                         launch.rule->id,
                         launch.rule->code,
                         stage,
                         launch.crash.empty() ? "" : ", " + launch.crash);
    case lint::Verdict::undecided:
      break;
  }
  if (launch.needs.empty()) {
    return "launch undecided" + stage;
  }
  return fmt::format("launch undecided, needs {}", listed(launch.needs));
}

std::string checked_against(const LintedFile& file) {
  std::string text;
  if (!is_readable(file)) {
    return text;
  }
  if (file.recipe != nullptr) {
    text = recipe::title(file.recipe->framework);
  }
  if (!file.result.framework_version.empty()) {
    text += fmt::format(" {}", file.result.framework_version);
    if (!file.result.version_unknown.empty()) {
      text += fmt::format(" (in place of {}, which this epwise does not know)",
                          file.result.version_unknown);
    } else if (file.result.version_assumed && file.recipe != nullptr) {
      text += fmt::format(" (assumed; say --stack {}=VERSION)",
                          recipe::to_string(file.recipe->framework));
    }
  }
  if (!file.target.empty()) {
    const bool only_sources = file.target.starts_with('(');
    text += (text.empty() ? "" : only_sources ? " " : ", ") + file.target;
  }
  return text;
}

}  // namespace epwise::report
