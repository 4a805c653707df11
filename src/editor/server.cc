#include "editor/server.h"

#include <algorithm>
#include <exception>
#include <ostream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "editor/diagnostics.h"
#include "editor/frame.h"
#include "editor/json.h"
#include "world/files.h"

namespace epwise::editor {

namespace {

// Error codes of JSON-RPC and of the protocol.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kNotInitialized = -32002;
constexpr int kRequestCancelled = -32800;

constexpr int kError = 1;  // of window/logMessage

/// `params` of a message; null where it has none.
Json params_of(const Json& message) {
  const auto params = message.find("params");
  return params == message.end() ? Json() : *params;
}

}  // namespace

const std::map<std::string_view, Server::Answerer>& Server::answerers() {
  static const std::map<std::string_view, Answerer> kAll = {
      {"initialize", &Server::initialize},
      {"shutdown", &Server::shut_down},
      {"textDocument/diagnostic", &Server::diagnose},
      {"textDocument/hover", &Server::hover},
      {"textDocument/codeAction", &Server::act},
      {"textDocument/completion", &Server::complete},
      {"textDocument/inlayHint", &Server::hint},
  };
  return kAll;
}

const std::map<std::string_view, Server::Listener>& Server::listeners() {
  static const std::map<std::string_view, Listener> kAll = {
      {"initialized", &Server::initialized},
      {"textDocument/didOpen", &Server::open},
      {"textDocument/didChange", &Server::change},
      {"textDocument/didClose", &Server::close},
      {"textDocument/didSave", &Server::disk_changed},
      {"workspace/didChangeWatchedFiles", &Server::disk_changed},
      {"workspace/didChangeConfiguration", &Server::configure},
  };
  return kAll;
}

Ending Server::serve(Inbox& inbox) {
  while (true) {
    publish_while_idle(inbox);
    const Letter letter = inbox.take();
    const bool orderly = phase_ == Phase::shut_down;
    const auto leaving = orderly ? Ending::Kind::orderly : Ending::Kind::without_shutdown;
    if (letter.message == nullptr) {
      return letter.problem.empty() ? Ending{leaving, {}}
                                    : Ending{Ending::Kind::broken, letter.problem};
    }
    if (method_of(*letter.message) == "exit") {
      return {leaving, {}};
    }
    handle(letter, inbox);
  }
}

void Server::publish_while_idle(const Inbox& inbox) {
  bool more = phase_ == Phase::running && !client_.pulls;
  while (more && inbox.empty()) {
    more = publish_next(inbox);
  }
}

bool Server::publish_next(const Inbox& inbox) {
  const auto found =
      std::ranges::find_if(open_, [](const auto& entry) { return entry.second.unpublished; });
  if (found == open_.end()) {
    return false;
  }
  auto& [uri, open] = *found;
  open.unpublished = false;
  try {
    const Reading& reading = *read(open);
    if (!inbox.changes(uri)) {
      publish(uri, open, diagnostics_of(reading, uri, client_));
    }
  } catch (const std::exception& error) {
    log(kError, fmt::format("internal error while linting {}: {}", uri, error.what()));
  }
  return true;
}

void Server::handle(const Letter& letter, const Inbox& inbox) {
  const Json& message = *letter.message;
  if (!letter.garbled.empty()) {
    refuse(nullptr, kParseError, "a message is no JSON: " + letter.garbled);
    return;
  }
  const std::string method = method_of(message);
  if (method.empty()) {
    const bool is_reply =
        message.is_object() && (message.contains("result") || message.contains("error"));
    if (!is_reply) {
      refuse(nullptr, kInvalidRequest, "a message has no method");
    }
    return;
  }
  if (message.contains("id")) {
    answer(message, method, inbox);
  } else if (phase_ == Phase::running) {
    listen(message, method);
  }
}

void Server::answer(const Json& message, const std::string& method, const Inbox& inbox) {
  const std::string name = id_of(message);
  if (name.empty()) {
    refuse(nullptr, kInvalidRequest, "the id of a request is neither a text nor a whole number");
    return;
  }
  const Json id = message["id"];
  const auto found = answerers().find(method);
  if (phase_ == Phase::fresh && method != "initialize") {
    refuse(id, kNotInitialized, fmt::format("{} came before initialize", method));
  } else if (phase_ == Phase::shut_down || (phase_ == Phase::running && method == "initialize")) {
    refuse(id, kInvalidRequest, fmt::format("{} can't come at this point", method));
  } else if (found == answerers().end()) {
    refuse(id, kMethodNotFound, fmt::format("epwise has no method {}", method));
  } else if (inbox.cancels(name)) {
    refuse(id, kRequestCancelled, "cancelled");
  } else {
    try {
      Json result = (this->*found->second)(params_of(message));
      if (inbox.cancels(name)) {
        refuse(id, kRequestCancelled, "cancelled");
      } else {
        reply(id, std::move(result));
      }
    } catch (const Json::exception& error) {
      refuse(id, kInvalidParams, fmt::format("{}: {}", method, error.what()));
    } catch (const std::invalid_argument& error) {
      refuse(id, kInvalidParams, fmt::format("{}: {}", method, error.what()));
    } catch (const std::exception& error) {
      const std::string sentence = fmt::format("internal error in {}: {}", method, error.what());
      log(kError, sentence);
      refuse(id, kInternalError, sentence);
    }
  }
}

void Server::listen(const Json& message, const std::string& method) {
  const auto found = listeners().find(method);
  if (found == listeners().end()) {
    return;  // as the protocol has it
  }
  try {
    (this->*found->second)(params_of(message));
  } catch (const std::exception& error) {
    log(kError, fmt::format("{} was not understood: {}", method, error.what()));
  }
}

void Server::send(const Json& message) {
  // A recipe may hold bytes that are no UTF-8, a message must not.
  write_frame(out_, message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Server::ask(const char* method, const Json& params) {
  Json message = {{"jsonrpc", "2.0"}, {"id", fmt::format("epwise-{}", ++asked_)}};
  message["method"] = method;
  if (!params.is_null()) {
    message["params"] = params;
  }
  send(message);
}

void Server::reply(const Json& id, Json result) {
  Json message = {{"jsonrpc", "2.0"}, {"id", id}};
  message["result"] = std::move(result);
  send(message);
}

void Server::refuse(const Json& id, int code, const std::string& why) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", why}}}});
}

void Server::notify(const char* method, Json params) {
  Json message = {{"jsonrpc", "2.0"}, {"method", method}};
  message["params"] = std::move(params);
  send(message);
}

void Server::log(int severity, const std::string& sentence) {
  notify("window/logMessage", {{"type", severity}, {"message", "epwise: " + sentence}});
}

void Server::publish(const std::string& uri, const Open& open, Json diagnostics) {
  Json params = {{"uri", uri}, {"version", open.document.version()}};
  params["diagnostics"] = std::move(diagnostics);
  notify("textDocument/publishDiagnostics", std::move(params));
}

}  // namespace epwise::editor
