#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"

namespace epwise::hw {

/// The first `limit` bytes of a file, nullopt if it cannot be read: examining a machine must
/// neither fail on one odd file nor read a large one.
std::optional<std::string> file_head(const os::Files& files,
                                     const std::string& path,
                                     std::size_t limit = std::size_t{64} << 10);

/// Its lines without line ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// The text in the first pair of quotes after `key`: quoted_after("version = '1.2'", "version") →
/// "1.2"; empty if there is none. Sufficient for one known value in a generated JSON or Python
/// file.
std::string_view quoted_after(std::string_view text, std::string_view key);

/// "a:b::c" → {"a", "b", "c"}: how PATH and PYTHONPATH list directories.
std::vector<std::string> split_paths(std::string_view text);

/// The parent directory of `path`: "/a/b" → "/a", "/a" → "/".
std::string parent_of(const std::string& path);

}  // namespace epwise::hw
