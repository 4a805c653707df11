#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lint/rule.h"

namespace epwise::report {

/// --color
enum class ColourChoice : std::uint8_t { automatic, always, never };

/// Inputs that determine whether a stream is coloured. The command line fills it in for stdout and
/// stderr; nothing here accesses the process.
struct ColourFacts {
  ColourChoice choice = ColourChoice::automatic;
  bool terminal = false;  // is that stream a terminal?
  std::optional<std::string> no_color = {};
  std::optional<std::string> force_color = {};
  std::optional<std::string> clicolor_force = {};
  std::optional<std::string> term = {};
};

/// The first that applies wins: --color, NO_COLOR (any text), FORCE_COLOR and CLICOLOR_FORCE (any
/// text except 0 and false), TERM=dumb, and finally whether the stream is a terminal. An empty
/// variable counts as unset.
bool use_colour(const ColourFacts& facts);

/// The role of a piece of text; only this file decides how it looks.
enum class Role : std::uint8_t {
  plain,
  error,
  warning,
  note,
  frame,      // gutter, arrows, bars
  secondary,  // marks and labels of the other locations
  strong,
  dim,
  good,
};

Role role_of(lint::Severity severity);

/// Renders roles; the only place that knows terminal codes.
class Paint {
 public:
  Paint(bool colour, bool hyperlinks) : colour_(colour), hyperlinks_(hyperlinks) {}

  std::string operator()(Role role, std::string_view text) const;

  /// `text`, as a link if the terminal supports it.
  std::string link(std::string_view text, std::string_view uri) const;

 private:
  bool colour_ = false;
  bool hyperlinks_ = false;
};

}  // namespace epwise::report
