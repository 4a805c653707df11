#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epwise::editor {

/// The absolute path that a URI names; nullopt for anything but a file of this machine.
///   file_path("file:///work/a%20b.yaml") → "/work/a b.yaml"
std::optional<std::string> file_path(std::string_view uri);

/// The other way round, for an absolute path.
std::string file_uri(std::string_view path);

}  // namespace epwise::editor
