#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lint/rule.h"

namespace epwise::report {

/// --color
enum class ColourChoice : std::uint8_t { automatic, always, never };

/// What decides whether one stream is coloured. The command line fills it in, once for stdout and
/// once for stderr; nothing here looks at the process.
struct ColourFacts {
  ColourChoice choice = ColourChoice::automatic;
  bool terminal = false;  // is that stream a terminal?
  std::optional<std::string> no_color = {};
  std::optional<std::string> force_color = {};
  std::optional<std::string> clicolor_force = {};
  std::optional<std::string> term = {};
};

/// The first that speaks wins: --color, NO_COLOR (any text), FORCE_COLOR and CLICOLOR_FORCE (any
/// text but 0 and false), TERM=dumb, and at last whether the stream is a terminal. A variable that
/// is set to nothing counts as not set.
bool use_colour(const ColourFacts& facts);

/// What a piece of text is; how that looks is decided here alone.
enum class Role : std::uint8_t {
  plain,
  error,
  warning,
  note,
  frame,      // gutter, arrows, bars
  secondary,  // marks and labels of the other places
  strong,
  dim,
  good,
};

Role role_of(lint::Severity severity);

/// Draws roles; the only place that knows terminal codes.
class Paint {
 public:
  Paint(bool colour, bool hyperlinks) : colour_(colour), hyperlinks_(hyperlinks) {}

  std::string operator()(Role role, std::string_view text) const;

  /// `text`, clickable where the terminal can.
  std::string link(std::string_view text, std::string_view uri) const;

 private:
  bool colour_ = false;
  bool hyperlinks_ = false;
};

}  // namespace epwise::report
