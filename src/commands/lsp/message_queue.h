#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "commands/lsp/client.h"

namespace epwise::lsp {

/// Limit on message size. A recipe has at most 16 MiB, which JSON may encode six times as long.
constexpr std::size_t kLargestFrame = std::size_t{128} << 20;

/// One message of a stream:
///
///   Content-Length: 17\r\n
///   \r\n
///   {"jsonrpc":"2.0"}
struct Frame {
  enum class Kind : std::uint8_t {
    message,  // `content` holds it
    end,      // the stream ended between two messages
    broken,   // the start of the next message is unknown: see `problem`
  };

  Kind kind = Kind::end;
  std::string content = {};
  std::string problem = {};  // a clause: "the header line `Contnt: 3` has no Content-Length"
};

/// Waits for the next message. Never throws for the contents of the stream, does not read beyond
/// the message, and allocates only for data that has arrived.
Frame read_frame(std::istream& in);

/// Writes a message with its header and flushes.
void write_frame(std::ostream& out, std::string_view content);

/// A message from the client.
struct Message {
  std::shared_ptr<const Json> message;  // null pointer: end of input, see `problem`
  std::string problem;  // why the stream cannot be read further; empty: it ended normally
  std::string garbled;  // a complete message that is not JSON: what is wrong with it
};

/// A message queue with look-ahead: which documents have further changes, and which requests were
/// cancelled. One thread writes, another reads.
class MessageQueue {
 public:
  /// Reads messages until the stream ends, a frame is invalid, or the client sends `exit`.
  void fill(std::istream& in);

  void put(Message received);

  /// Waits for the next one.
  Message take();

  bool empty() const;

  /// Whether a change of this document is queued.
  bool changes(const std::string& uri) const;

  /// Whether a cancellation of the request is queued; `id` as JSON text.
  bool cancels(const std::string& id) const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Message> messages_;
  std::multiset<std::string> changing_;   // document URIs, one per queued change
  std::multiset<std::string> cancelled_;  // request ids as JSON, one per queued cancellation
};

/// `method` of a message; empty if it has none.
std::string method_of(const Json& message);

/// The id of a message as JSON: "7", "\"a\""; empty if it has none.
std::string id_of(const Json& message);

}  // namespace epwise::lsp
