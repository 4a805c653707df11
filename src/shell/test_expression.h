#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shell/field.h"

namespace epwise::shell {

/// Whether a command succeeds, or what would have to be known.
struct Truth {
  enum class Kind : std::uint8_t { no, yes, unknown };
  Kind kind = Kind::unknown;
  std::vector<std::string> needs = {};

  static Truth of(bool value) { return {value ? Kind::yes : Kind::no}; }

  bool yes() const { return kind == Kind::yes; }

  bool no() const { return kind == Kind::no; }

  bool open() const { return kind == Kind::unknown; }

  Truth negated() const { return open() ? *this : of(no()); }
};

/// The words between `[` and `]` (or `[[` and `]]`), expanded; patterns with `patterns`. Files
/// count as unknown; a variable that nobody names counts as empty for -z and -n alone.
Truth evaluate_test(const std::vector<Field>& words, bool patterns);

}  // namespace epwise::shell
