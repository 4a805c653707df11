#pragma once

#include "shell/cursor.h"
#include "shell/syntax.h"

namespace epwise::shell {

/// Assignments, words and redirections up to the next operator. Stops behind the first word where
/// `()` follows it.
Command read_simple(Cursor& cursor);

/// Words up to the next operator.
void read_words(Cursor& cursor, Command& command);

/// Whether `()` stands here.
bool sees_parentheses(const Cursor& cursor);

/// Redirections behind a compound command; what goes in becomes its input.
Command redirected(Cursor& cursor, Command command);

}  // namespace epwise::shell
