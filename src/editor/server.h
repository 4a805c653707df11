#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "editor/actions.h"
#include "editor/client.h"
#include "editor/desk.h"
#include "editor/document.h"
#include "editor/inbox.h"
#include "editor/json.h"

namespace epwise::editor {

/// How a conversation ended.
struct Ending {
  enum class Kind : std::uint8_t {
    orderly,           // shutdown, then exit
    without_shutdown,  // exit alone, or the stream ended
    broken,            // a frame that can't be read: `problem`
  };

  Kind kind = Kind::orderly;
  std::string problem = {};
};

/// The Language Server Protocol, version 3.17, over one connection. Knows methods and the order of
/// things; what is said about a text comes from the desk. Never writes a file.
///
/// Messages are handled one after another. A text is linted when nothing else waits, or when a
/// request needs it; what was linted while the next change arrived is not published.
class Server {
 public:
  Server(Desk& desk, std::ostream& out, std::string_view tool_version)
      : desk_(desk),
        out_(out),
        tool_version_(tool_version) {}

  /// Until the client says `exit` or the inbox ends.
  Ending serve(Inbox& inbox);

 private:
  enum class Phase : std::uint8_t { fresh, running, shut_down };

  struct Open {
    Document document;
    std::shared_ptr<const Reading> reading = nullptr;   // of this version; null: to be linted
    std::shared_ptr<const Reading> readable = nullptr;  // the last of which something could be used
    std::unique_ptr<Fixes> fixes = nullptr;             // of `reading`
    std::uint64_t stamp = 0;                            // of `reading`
    bool unpublished = true;
  };

  using Answerer = Json (Server::*)(const Json& params);
  using Listener = void (Server::*)(const Json& params);
  static const std::map<std::string_view, Answerer>& answerers();
  static const std::map<std::string_view, Listener>& listeners();

  void handle(const Letter& letter, const Inbox& inbox);
  void answer(const Json& message, const std::string& method, const Inbox& inbox);
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

  void wish(const Json& settings);
  void reread_all();
  void publish_while_idle(const Inbox& inbox);
  bool publish_next(const Inbox& inbox);
  Open& at(const Json& params);
  const std::shared_ptr<const Reading>& read(Open& open);

  void send(const Json& message);
  void ask(const char* method, const Json& params);
  void reply(const Json& id, Json result);
  void refuse(const Json& id, int code, const std::string& why);
  void notify(const char* method, Json params);
  void log(int severity, const std::string& sentence);
  void publish(const std::string& uri, const Open& open, Json diagnostics);

  Desk& desk_;
  std::ostream& out_;
  std::string tool_version_;
  Phase phase_ = Phase::fresh;
  Client client_;
  std::string root_;
  std::map<std::string, Open> open_;  // by URI
  std::uint64_t stamps_ = 0;
  std::uint64_t asked_ = 0;
  std::string said_problem_;  // the last that was logged
};

}  // namespace epwise::editor
