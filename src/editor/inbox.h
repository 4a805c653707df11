#pragma once

#include <condition_variable>
#include <deque>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "editor/json.h"

namespace epwise::editor {

/// What arrived from the client.
struct Letter {
  std::shared_ptr<const Json> message;  // null pointer: there will be no more, see `problem`
  std::string problem;  // why the stream can't be read further; empty: it ended in good order
  std::string garbled;  // of a whole message that is no JSON: what is wrong with it
};

/// Messages that wait for their turn, with a look ahead: which documents change again, and which
/// requests nobody wants answered any more. One thread puts in, another takes out.
class Inbox {
 public:
  /// Reads messages until the stream ends, a frame is broken, or the client says `exit`.
  void fill(std::istream& in);

  void put(Letter letter);

  /// Waits for the next one.
  Letter take();

  bool empty() const;

  /// Whether a change of this document waits.
  bool changes(const std::string& uri) const;

  /// Whether a cancellation of the request waits; `id` as JSON text.
  bool cancels(const std::string& id) const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Letter> letters_;
  std::multiset<std::string> changing_;   // URIs of documents, one a waiting change
  std::multiset<std::string> cancelled_;  // ids of requests as JSON, one a waiting cancellation
};

/// `method` of a message; empty where it has none.
std::string method_of(const Json& message);

/// What a message calls itself, as JSON: "7", "\"a\""; empty where it has no id.
std::string id_of(const Json& message);

}  // namespace epwise::editor
