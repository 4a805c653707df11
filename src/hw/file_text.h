#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world/files.h"

namespace epwise::hw {

/// The first `limit` bytes of a file, nullopt when it can't be read: looking around a machine must
/// neither fail on one odd file nor hold a large one.
std::optional<std::string> file_head(const world::Files& files,
                                     const std::string& path,
                                     std::size_t limit = std::size_t{64} << 10);

/// Its lines without line ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// What stands between the first pair of quotes after `key`: quoted_after("version = '1.2'",
/// "version") → "1.2"; empty when there is none. Good enough for one known value in a JSON or
/// Python file that a tool wrote.
std::string_view quoted_after(std::string_view text, std::string_view key);

/// "a:b::c" → {"a", "b", "c"}: how PATH and PYTHONPATH list folders.
std::vector<std::string> split_paths(std::string_view text);

/// The folder that holds `path`: "/a/b" → "/a", "/a" → "/".
std::string parent_of(const std::string& path);

}  // namespace epwise::hw
