#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"
#include "session/options/arguments.h"

namespace epwise::session {

/// Words → options by their table; the only use of CLI11. `who` names the command in messages
/// ("epwise lint"); `source` is what settings record as their origin, empty for the option's own
/// name. Throws os::UsageError for an unknown option (with the nearest ones), a missing
/// value, a value that a flag can't take, and a word that is not one of the option's values.
Arguments parse_words(const std::vector<Option>& options,
                      const std::vector<std::string>& words,
                      std::string_view who,
                      std::string_view source = {});

/// Adds the values of environment variables for options that were not given. A flag's variable is on
/// with 1, true, yes, on and off with 0, false, no, off; an empty variable is ignored. Throws
/// os::UsageError.
void add_variables(const std::vector<Option>& options,
                   const os::Variables& variables,
                   Arguments& arguments);

/// The position of the command's name among the words of the process, after options that every
/// command has. `words.size()` if there is no command. Throws os::UsageError for an unknown
/// option in front of it.
std::size_t find_command(const std::vector<Option>& options, const std::vector<std::string>& words);

}  // namespace epwise::session
