#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/source_file.h"
#include "commands/lsp/actions.h"
#include "commands/lsp/client.h"
#include "commands/lsp/lint_service.h"
#include "commands/lsp/message_queue.h"
#include "commands/lsp/position.h"

namespace epwise::lsp {

/// A change of an open document: replaces a range or the whole text.
struct Change {
  std::optional<Range> range;
  std::string text;
};

/// A text as held by the editor, saved or not.
class Document {
 public:
  /// `name`: used in findings, "recipes/a.yaml".
  Document(std::string uri, std::string name, std::int64_t version, std::string text);

  const std::string& uri() const { return uri_; }

  const std::string& name() const { return name_; }

  std::int64_t version() const { return version_; }

  /// Unaffected by later changes of the document: holders keep that version.
  const std::shared_ptr<const text::SourceFile>& file() const { return file_; }

  /// Applied one after another, each to the result of the previous ones. The ends of a reversed
  /// range are swapped.
  void apply(const std::vector<Change>& changes, std::int64_t version, Encoding encoding);

 private:
  std::string uri_;
  std::string name_;
  std::int64_t version_ = 0;
  std::string text_;  // with its byte-order mark
  std::shared_ptr<const text::SourceFile> file_;
};

/// How a session ended.
struct Ending {
  enum class Kind : std::uint8_t {
    orderly,           // shutdown, then exit
    without_shutdown,  // exit alone, or the stream ended
    broken,            // an invalid frame: `problem`
  };

  Kind kind = Kind::orderly;
  std::string problem = {};
};

/// The Language Server Protocol, version 3.17, over one connection. Implements methods and message
/// order; the lint service provides everything about a text. Never writes a file.
///
/// Handles messages one after another. Lints a text when nothing else is queued, or when a request
/// needs it; results are not published if the next change has already arrived. A crash or an exception
/// within one message is logged, answers it with an error, and ends nothing else.
class Server {
 public:
  Server(LintService& service, std::ostream& out, std::string_view tool_version)
      : service_(service),
        out_(out),
        tool_version_(tool_version) {}

  /// Until the client sends `exit` or the queue ends.
  Ending serve(MessageQueue& queue);

 private:
  enum class Phase : std::uint8_t { fresh, running, shut_down };

  struct Open {
    Document document;
    // of this version; null: not linted yet
    std::shared_ptr<const LintedDocument> reading = nullptr;
    // the last usable one
    std::shared_ptr<const LintedDocument> readable = nullptr;
    std::unique_ptr<Fixes> fixes = nullptr;  // of `reading`
    std::uint64_t stamp = 0;                 // of `reading`
    bool unpublished = true;
  };

  using Answerer = Json (Server::*)(const Json& params);
  using Listener = void (Server::*)(const Json& params);
  static const std::map<std::string_view, Answerer>& answerers();
  static const std::map<std::string_view, Listener>& listeners();

  void handle(const Message& received, const MessageQueue& queue);
  void answer(const Json& message, const std::string& method, const MessageQueue& queue);
  /// One request. Exceptions other than invalid parameters, and crashes, are reported by the caller.
  void respond(const Json& message,
               const std::string& method,
               Answerer answerer,
               const MessageQueue& queue);
  void listen(const Json& message, const std::string& method);

  Json initialize(const Json& params);
  Json shut_down(const Json& params);
  Json diagnose(const Json& params);
  Json hover(const Json& params);
  Json act(const Json& params);
  Json complete(const Json& params);
  Json hint(const Json& params);

  void initialized(const Json& params);
  void open(const Json& params);
  void change(const Json& params);
  void close(const Json& params);
  void disk_changed(const Json& params);
  void configure(const Json& params);

  void apply_settings(const Json& settings);
  void reread_all();
  void publish_while_idle(const MessageQueue& queue);
  bool publish_next(const MessageQueue& queue);
  Open& at(const Json& params);
  const std::shared_ptr<const LintedDocument>& read(Open& open);

  void send(const Json& message);
  void ask(const char* method, const Json& params);
  void reply(const Json& id, Json result);
  void refuse(const Json& id, int code, const std::string& why);
  void notify(const char* method, Json params);
  static constexpr int kErrorMessage = 1;  // of window/logMessage
  void log(int severity, const std::string& sentence);
  void publish(const std::string& uri, const Open& open, Json diagnostics);

  LintService& service_;
  std::ostream& out_;
  std::string tool_version_;
  Phase phase_ = Phase::fresh;
  Client client_;
  std::string root_;
  std::map<std::string, Open> open_;  // by URI
  std::uint64_t stamps_ = 0;
  std::uint64_t asked_ = 0;
  std::string said_problem_;  // the last one logged
};

}  // namespace epwise::lsp
