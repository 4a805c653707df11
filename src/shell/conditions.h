#pragma once

#include "shell/expansion.h"
#include "shell/syntax.h"
#include "shell/test_expression.h"

namespace epwise::shell {

/// Whether `[[ … ]]` or `(( … ))` succeeds.
Truth truth_of(const Command& command, Expansion& expansion);

/// Whether a clause of `case` is the one.
Truth matches(const Clause& clause, const Field& subject, Expansion& expansion);

/// Commands that succeed as far as a launch script cares: cd, mkdir, echo, …
bool succeeds(std::string_view name);

/// export, declare, local, …
bool declares(std::string_view name);

}  // namespace epwise::shell
