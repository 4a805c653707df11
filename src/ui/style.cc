#include "ui/style.h"

#include <fmt/format.h>

namespace epwise::report {
namespace {

bool is_set(const std::optional<std::string>& variable) {
  return variable && !variable->empty();
}

bool forces(const std::optional<std::string>& variable) {
  return is_set(variable) && *variable != "0" && *variable != "false";
}

std::string_view sequence(Role role) {
  switch (role) {
    case Role::error:
      return "1;31";
    case Role::warning:
      return "1;33";
    case Role::note:
      return "1;36";
    case Role::frame:
    case Role::secondary:
      return "94";
    case Role::strong:
      return "1";
    case Role::dim:
      return "2";
    case Role::good:
      return "1;32";
    case Role::plain:
      break;
  }
  return {};
}

}  // namespace

bool use_colour(const ColourFacts& facts) {
  if (facts.choice != ColourChoice::automatic) {
    return facts.choice == ColourChoice::always;
  }
  if (is_set(facts.no_color)) {
    return false;
  }
  if (forces(facts.force_color) || forces(facts.clicolor_force)) {
    return true;
  }
  return facts.terminal && facts.term != "dumb";
}

Role role_of(lint::Severity severity) {
  switch (severity) {
    case lint::Severity::error:
      return Role::error;
    case lint::Severity::warning:
      return Role::warning;
    case lint::Severity::note:
      break;
  }
  return Role::note;
}

std::string Paint::operator()(Role role, std::string_view text) const {
  const std::string_view codes = sequence(role);
  if (!colour_ || codes.empty() || text.empty()) {
    return std::string(text);
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", codes, text);
}

std::string Paint::link(std::string_view text, std::string_view uri) const {
  if (!hyperlinks_ || uri.empty()) {
    return std::string(text);
  }
  return fmt::format("\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\", uri, text);
}

}  // namespace epwise::report
