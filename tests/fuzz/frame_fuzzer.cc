/// The framing of the language server's messages on any bytes. What must hold: reading ends, a
/// broken frame says why, nothing is read behind it, no message is larger than it may be, and what
/// was read comes back when it is written.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "commands/lsp/message_queue.h"
#include "support/fuzz_target.h"
#include "support/require.h"

FUZZ_TARGET(frame) {
  using epwise::lsp::Frame;
  using epwise::support::require;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream written;
  std::size_t messages = 0;
  std::size_t bytes = 0;
  for (;;) {
    const Frame frame = epwise::lsp::read_frame(in);
    if (frame.kind != Frame::Kind::message) {
      require(frame.content.empty());
      require((frame.kind == Frame::Kind::broken) != frame.problem.empty());
      break;
    }
    ++messages;
    bytes += frame.content.size();
    require(bytes <= size && messages <= size);
    epwise::lsp::write_frame(written, frame.content);
  }
  std::istringstream again(written.str());
  std::ostringstream twice;
  for (std::size_t i = 0; i < messages; ++i) {
    const Frame frame = epwise::lsp::read_frame(again);
    require(frame.kind == Frame::Kind::message);
    epwise::lsp::write_frame(twice, frame.content);
  }
  require(epwise::lsp::read_frame(again).kind == Frame::Kind::end);
  require(twice.str() == written.str());
  return 0;
}
