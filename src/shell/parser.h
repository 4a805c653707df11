#pragma once

#include "shell/source.h"
#include "shell/syntax.h"

namespace epwise::shell {

/// The commands of a text, as a sequence. Any bytes give one: what is no shell is skipped.
///   parse("A=(x y)\nrun \"${A[@]}\" | tee log") → sequence{simple{A=(x y)}, pipeline{run…, tee
///   log}}
Command parse(const Source& source);

}  // namespace epwise::shell
