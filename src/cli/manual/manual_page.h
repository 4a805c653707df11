#pragma once

#include <string>

namespace epwise::cli {

/// The manual page epwise(1) in the man macros of roff: every command with its options, examples
/// and exit codes, from the table that the parser and the help texts are made of. No date, so that
/// the same program always gives the same page.
///   epwise help --man | man -l -
std::string manual_page();

}  // namespace epwise::cli
