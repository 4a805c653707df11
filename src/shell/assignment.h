#pragma once

#include <string>
#include <vector>

#include "shell/expansion.h"
#include "shell/syntax.h"
#include "shell/variables.h"

namespace epwise::shell {

/// NAME=…, NAME+=…, NAME=(…)
void assign(const Assignment& assignment, Variables& variables, Expansion& expansion);

/// export, declare, local, readonly, typeset: `words` are its words without assignments.
void declare(const Command& command,
             const std::vector<Field>& words,
             Variables& variables,
             Expansion& expansion);

/// read NAME…, mapfile NAME: their text is not known.
void read_variables(const std::vector<Field>& words, Variables& variables);

void unset_variables(const std::vector<Field>& words, Variables& variables);

}  // namespace epwise::shell
