#pragma once

#include "recipe/shell/syntax.h"

namespace epwise::shell {

/// The commands of a text, as a sequence. Accepts any bytes: text that is not shell code is
/// skipped.
///   parse("A=(x y)\nrun \"${A[@]}\" | tee log") → sequence{simple{A=(x y)}, pipeline{run…, tee
///   log}}
///
/// `unclosed`: gets the first thing that the text begins and does not end.
Command parse(const Source& source, Unclosed* unclosed = nullptr);

}  // namespace epwise::shell
