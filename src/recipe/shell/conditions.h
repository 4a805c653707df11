#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recipe/shell/expansion.h"
#include "recipe/shell/field.h"
#include "recipe/shell/syntax.h"

namespace epwise::shell {

/// Whether a command succeeds, or what must be known to decide.
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

/// The words between `[` and `]`, or with `patterns` between `[[` and `]]`, expanded. Files
/// count as unknown; a variable that is not set anywhere counts as empty only for -z and -n.
Truth evaluate_test(const std::vector<Field>& words, const Expansion& expansion, bool patterns);

/// Whether `[[ … ]]` or `(( … ))` succeeds.
Truth truth_of(const Command& command, Expansion& expansion);

/// Whether a clause of `case` is selected.
Truth matches(const Clause& clause, const Field& subject, Expansion& expansion);

/// Commands that always succeed as far as a launch script is concerned: cd, mkdir, echo, …
bool succeeds(std::string_view name);

/// export, declare, local, …
bool declares(std::string_view name);

}  // namespace epwise::shell
