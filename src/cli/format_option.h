#pragma once

#include "cli/command.h"

namespace epwise::cli {

/// --format of a command that answers as text or as JSON, and in nothing else.
Option format_option();

}  // namespace epwise::cli
