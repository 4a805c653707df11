#include "lint/rule.h"

namespace epwise::lint {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

std::string_view to_string(Confidence confidence) {
  switch (confidence) {
    case Confidence::heuristic:
      return "heuristic";
    case Confidence::likely:
      return "likely";
    case Confidence::proven:
      break;
  }
  return "proven";
}

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::neutral:
      return "neutral";
    case Tier::performance:
      return "performance";
    case Tier::training:
      break;
  }
  return "training";
}

}  // namespace epwise::lint
