#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace epwise::editor {

/// The largest message that is read. A recipe has at most 16 MiB, which JSON may write six times as
/// long.
constexpr std::size_t kLargestFrame = std::size_t{128} << 20;

/// One message as it comes over a stream:
///
///   Content-Length: 17\r\n
///   \r\n
///   {"jsonrpc":"2.0"}
struct Frame {
  enum class Kind : std::uint8_t {
    message,  // `content` holds it
    end,      // the stream ended between two messages
    broken,   // where the next message starts can't be told: `problem` says why
  };

  Kind kind = Kind::end;
  std::string content = {};
  std::string problem = {};  // a clause: "the header line `Contnt: 3` has no Content-Length"
};

/// Waits for the next message. Never throws for what the stream holds, reads no byte behind the
/// message, and takes no more memory than has really arrived.
Frame read_frame(std::istream& in);

/// Writes a message with its header and flushes.
void write_frame(std::ostream& out, std::string_view content);

}  // namespace epwise::editor
