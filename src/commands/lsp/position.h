#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"

/// Positions in LSP: lines and characters from 0, characters in the negotiated units; "\n", "\r\n"
/// and "\r" end a line. A byte-order mark sent by the client counts as a character there but not in
/// a SourceFile, where it precedes line 0.

namespace epwise::lsp {

/// A character is one code unit of this encoding.
enum class Encoding : std::uint8_t { utf8, utf16, utf32 };

/// The name in the protocol: "utf-16".
std::string_view to_string(Encoding encoding);

struct Position {
  std::size_t line = 0;
  std::size_t character = 0;

  bool operator==(const Position&) const = default;
};

struct Range {
  Position start;
  Position end;

  bool operator==(const Range&) const = default;
};

/// The length of a text in units: 2 for "😀" in UTF-16. A byte that is not valid UTF-8 counts as
/// one.
std::size_t units(std::string_view text, Encoding encoding);

/// The position of an offset in `file.bytes()`; offsets past the end count as the end.
Position position_of(const text::SourceFile& file, std::size_t offset, Encoding encoding);

Range range_of(const text::Mark& mark, Encoding encoding);

/// The offset in `file.bytes()`. As in the protocol, a line past the last counts as the end of the
/// text, a character past the end of its line as that end; one inside a character as its start.
std::size_t offset_of(const text::SourceFile& file, Position position, Encoding encoding);

/// The same in the client's text, with its byte-order mark.
std::size_t offset_in(std::string_view text, Position position, Encoding encoding);

/// The absolute path of a URI; nullopt for anything but a local file.
///   file_path("file:///work/a%20b.yaml") → "/work/a b.yaml"
std::optional<std::string> file_path(std::string_view uri);

/// The reverse, for an absolute path.
std::string file_uri(std::string_view path);

}  // namespace epwise::lsp
