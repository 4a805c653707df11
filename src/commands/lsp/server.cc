#include "commands/lsp/server.h"

#include <algorithm>
#include <exception>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/crash_guard.h"
#include "base/os/files.h"
#include "commands/lsp/client.h"
#include "commands/lsp/completion.h"
#include "commands/lsp/diagnostics.h"
#include "commands/lsp/hover.h"
#include "commands/lsp/lint_service.h"
#include "commands/lsp/message_queue.h"
#include "commands/lsp/position.h"

namespace epwise::lsp {

/// Settings as sent by an editor, in initializationOptions or under "epwise":
///
///   {"hw": "gb200", "gpus": 256, "stack": {"te": "2.14.0"}, "ignore": ["memory/"]}
///   → {"hw", "gb200"}, {"gpus", "256"}, {"stack", "te=2.14.0"}, {"ignore", "memory/"}
///
/// Null values are left out. Throws os::UsageError for what is not a text, number, switch, list or
/// mapping of those.
Settings settings_in(const Json& settings);

Document::Document(std::string uri, std::string name, std::int64_t version, std::string text)
    : uri_(std::move(uri)),
      name_(std::move(name)),
      version_(version),
      text_(std::move(text)),
      file_(std::make_shared<const text::SourceFile>(name_, text_)) {}

void Document::apply(const std::vector<Change>& changes, std::int64_t version, Encoding encoding) {
  for (const Change& change : changes) {
    if (!change.range) {
      text_ = change.text;
      continue;
    }
    const std::size_t start = offset_in(text_, change.range->start, encoding);
    const std::size_t end = offset_in(text_, change.range->end, encoding);
    text_.replace(std::min(start, end), std::max(start, end) - std::min(start, end), change.text);
  }
  version_ = version;
  file_ = std::make_shared<const text::SourceFile>(name_, text_);
}

namespace {

// Error codes of JSON-RPC and of the protocol.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kNotInitialized = -32002;
constexpr int kRequestCancelled = -32800;

/// `params` of a message; null where it has none.
Json params_of(const Json& message) {
  const auto params = message.find("params");
  return params == message.end() ? Json() : *params;
}

}  // namespace

const std::map<std::string_view, Server::Answerer>& Server::answerers() {
  static const std::map<std::string_view, Answerer> all = {
      {"initialize", &Server::initialize},
      {"shutdown", &Server::shut_down},
      {"textDocument/diagnostic", &Server::diagnose},
      {"textDocument/hover", &Server::hover},
      {"textDocument/codeAction", &Server::act},
      {"textDocument/completion", &Server::complete},
      {"textDocument/inlayHint", &Server::hint},
  };
  return all;
}

const std::map<std::string_view, Server::Listener>& Server::listeners() {
  static const std::map<std::string_view, Listener> all = {
      {"initialized", &Server::initialized},
      {"textDocument/didOpen", &Server::open},
      {"textDocument/didChange", &Server::change},
      {"textDocument/didClose", &Server::close},
      {"textDocument/didSave", &Server::disk_changed},
      {"workspace/didChangeWatchedFiles", &Server::disk_changed},
      {"workspace/didChangeConfiguration", &Server::configure},
  };
  return all;
}

Ending Server::serve(MessageQueue& queue) {
  while (true) {
    publish_while_idle(queue);
    const Message received = queue.take();
    const bool orderly = phase_ == Phase::shut_down;
    const auto leaving = orderly ? Ending::Kind::orderly : Ending::Kind::without_shutdown;
    if (received.message == nullptr) {
      return received.problem.empty() ? Ending{leaving, {}}
                                      : Ending{Ending::Kind::broken, received.problem};
    }
    if (method_of(*received.message) == "exit") {
      return {leaving, {}};
    }
    handle(received, queue);
  }
}

void Server::publish_while_idle(const MessageQueue& queue) {
  bool more = phase_ == Phase::running && !client_.pulls;
  while (more && queue.empty()) {
    more = publish_next(queue);
  }
}

bool Server::publish_next(const MessageQueue& queue) {
  const auto found =
      std::ranges::find_if(open_, [](const auto& entry) { return entry.second.unpublished; });
  if (found == open_.end()) {
    return false;
  }
  const std::string& uri = found->first;
  Open& open = found->second;
  open.unpublished = false;
  std::string problem;
  const bool ended = os::run_guarded(
      [&] {
        const LintedDocument& reading = *read(open);
        if (!queue.changes(uri)) {
          publish(uri, open, diagnostics_of(reading, uri, client_));
        }
      },
      problem);
  if (!ended) {
    log(kErrorMessage, fmt::format("internal error while linting {}: {}", uri, problem));
  }
  return true;
}

void Server::handle(const Message& received, const MessageQueue& queue) {
  const Json& message = *received.message;
  if (!received.garbled.empty()) {
    refuse(nullptr, kParseError, "a message is not JSON: " + received.garbled);
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
    answer(message, method, queue);
  } else if (phase_ == Phase::running) {
    listen(message, method);
  }
}

void Server::answer(const Json& message, const std::string& method, const MessageQueue& queue) {
  const std::string name = id_of(message);
  if (name.empty()) {
    refuse(nullptr, kInvalidRequest, "the id of a request is neither a string nor an integer");
    return;
  }
  const Json id = message["id"];
  const auto found = answerers().find(method);
  if (phase_ == Phase::fresh && method != "initialize") {
    refuse(id, kNotInitialized, fmt::format("{} came before initialize", method));
  } else if (phase_ == Phase::shut_down || (phase_ == Phase::running && method == "initialize")) {
    refuse(id, kInvalidRequest, fmt::format("{} is not allowed in this state", method));
  } else if (found == answerers().end()) {
    refuse(id, kMethodNotFound, fmt::format("unknown method {}", method));
  } else if (queue.cancels(name)) {
    refuse(id, kRequestCancelled, "cancelled");
  } else {
    std::string crash;
    if (!os::run_guarded([&] { respond(message, method, found->second, queue); }, crash)) {
      const std::string sentence = fmt::format("internal error in {}: {}", method, crash);
      log(kErrorMessage, sentence);
      refuse(id, kInternalError, sentence);
    }
  }
}

void Server::respond(const Json& message,
                     const std::string& method,
                     Answerer answerer,
                     const MessageQueue& queue) {
  const Json& id = message["id"];
  try {
    Json result = (this->*answerer)(params_of(message));
    if (queue.cancels(id_of(message))) {
      refuse(id, kRequestCancelled, "cancelled");
    } else {
      reply(id, std::move(result));
    }
  } catch (const Json::exception& error) {
    refuse(id, kInvalidParams, fmt::format("{}: {}", method, error.what()));
  } catch (const std::invalid_argument& error) {
    refuse(id, kInvalidParams, fmt::format("{}: {}", method, error.what()));
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
    log(kErrorMessage, fmt::format("invalid {}: {}", method, error.what()));
  }
}

void Server::send(const Json& message) {
  // A recipe may contain bytes that are not UTF-8, a message must not.
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

}  // namespace epwise::lsp

// The handlers of the server's methods; server.cc has their list and the connection.

namespace epwise::lsp {

namespace {

constexpr std::string_view kFixAll = "source.fixAll";
constexpr std::string_view kQuickFix = "quickfix";

const std::string& uri_in(const Json& params) {
  return params.at("textDocument").at("uri").get_ref<const std::string&>();
}

/// Whether a client that requests these kinds of actions needs one of `kind`.
bool wants(const Json& only, std::string_view kind) {
  return std::ranges::any_of(only, [kind](const Json& word) {
    const auto wanted = word.is_string() ? word.get<std::string>() : std::string();
    return kind == wanted || kind.starts_with(wanted + ".") || wanted.starts_with(kind);
  });
}

Json capabilities(const Client& client) {
  Json can = {{"positionEncoding", to_string(client.encoding)}};
  can["textDocumentSync"] = {{"openClose", true}, {"change", 2}, {"save", true}};
  can["hoverProvider"] = true;
  can["completionProvider"] = {{"triggerCharacters", {" ", "-"}}};
  can["inlayHintProvider"] = true;
  if (client.literal_actions) {
    can["codeActionProvider"] = {{"codeActionKinds", {kQuickFix, "source.fixAll.epwise"}}};
  }
  if (client.pulls) {
    can["diagnosticProvider"] = {
        {"identifier", "epwise"}, {"interFileDependencies", true}, {"workspaceDiagnostics", false}};
  }
  return can;
}

/// The directory opened in the editor; empty if none.
std::string root_in(const Json& params) {
  std::string uri;
  if (params.contains("rootUri") && params["rootUri"].is_string()) {
    uri = params["rootUri"].get<std::string>();
  } else if (params.contains("workspaceFolders") && params["workspaceFolders"].is_array() &&
             !params["workspaceFolders"].empty()) {
    uri = params["workspaceFolders"].front().at("uri").get<std::string>();
  }
  return file_path(uri).value_or("");
}

}  // namespace

Json Server::initialize(const Json& params) {
  client_ = client_of(params);
  root_ = root_in(params);
  phase_ = Phase::running;
  apply_settings(params.contains("initializationOptions") ? params["initializationOptions"]
                                                          : Json());
  return {{"capabilities", capabilities(client_)},
          {"serverInfo", {{"name", "epwise"}, {"version", tool_version_}}}};
}

void Server::initialized(const Json& /*params*/) {
  if (client_.watches) {
    const Json watchers = Json::array({{{"globPattern", "**/*.{yaml,yml}"}}});
    ask("client/registerCapability",
        {{"registrations",
          Json::array({{{"id", "epwise-files"},
                        {"method", "workspace/didChangeWatchedFiles"},
                        {"registerOptions", {{"watchers", watchers}}}}})}});
  }
}

Json Server::shut_down(const Json& /*params*/) {
  phase_ = Phase::shut_down;
  return nullptr;
}

void Server::apply_settings(const Json& settings) {
  try {
    service_.set(settings_in(settings), root_);
  } catch (const os::UsageError& error) {
    // In the log alone it would go unnoticed, and every file would be linted for the wrong target.
    log(kErrorMessage, error.what());
    notify("window/showMessage",
           {{"type", kErrorMessage}, {"message", fmt::format("epwise: {}", error.what())}});
  }
}

void Server::configure(const Json& params) {
  const auto settings = params.find("settings");
  if (settings != params.end() && !settings->is_null()) {
    apply_settings(*settings);
    reread_all();
  }
}

void Server::disk_changed(const Json& /*params*/) {
  service_.forget();
  reread_all();
}

void Server::reread_all() {
  for (auto& [uri, open] : open_) {
    open.reading = nullptr;
    open.unpublished = true;
  }
  if (client_.pulls && client_.refreshes && !open_.empty()) {
    ask("workspace/diagnostic/refresh", nullptr);
  }
  if (client_.refreshes_hints && !open_.empty()) {
    ask("workspace/inlayHint/refresh", nullptr);
  }
}

void Server::open(const Json& params) {
  const Json& item = params.at("textDocument");
  const auto uri = item.at("uri").get<std::string>();
  const auto path = file_path(uri);
  const std::string name = path ? service_.name_of(*path) : uri.substr(uri.rfind('/') + 1);
  Document document(
      uri, name, item.at("version").get<std::int64_t>(), item.at("text").get<std::string>());
  open_.insert_or_assign(uri, Open{std::move(document)});
}

void Server::change(const Json& params) {
  Open& open = at(params);
  std::vector<Change> changes;
  for (const Json& json : params.at("contentChanges")) {
    Change change;
    if (json.contains("range")) {
      change.range = range_in(json["range"]);
    }
    change.text = json.at("text").get<std::string>();
    changes.push_back(std::move(change));
  }
  open.document.apply(
      changes, params.at("textDocument").at("version").get<std::int64_t>(), client_.encoding);
  open.reading = nullptr;
  open.unpublished = true;
}

void Server::close(const Json& params) {
  const std::string uri = uri_in(params);
  const auto found = open_.find(uri);
  if (found != open_.end()) {
    if (!client_.pulls) {
      publish(uri, found->second, Json::array());
    }
    open_.erase(found);
  }
}

Server::Open& Server::at(const Json& params) {
  const std::string& uri = uri_in(params);
  const auto found = open_.find(uri);
  if (found == open_.end()) {
    throw std::invalid_argument(fmt::format("{} is not open", uri));
  }
  return found->second;
}

const std::shared_ptr<const LintedDocument>& Server::read(Open& open) {
  if (open.reading == nullptr) {
    open.fixes = nullptr;
    open.reading = service_.lint(open.document.file());
    open.stamp = ++stamps_;
    const bool usable = std::ranges::any_of(
        open.reading->analyses,
        [](const session::Analysis& analysis) { return analysis.recipe->readable; });
    if (usable || open.readable == nullptr) {
      open.readable = open.reading;
    }
    const std::string& problem = open.reading->problem;
    if (!problem.empty() && problem != said_problem_) {
      log(kErrorMessage, problem);
    }
    said_problem_ = problem;
  }
  return open.reading;
}

Json Server::diagnose(const Json& params) {
  Open& open = at(params);
  const LintedDocument& reading = *read(open);
  const std::string stamp = std::to_string(open.stamp);
  const auto previous = params.find("previousResultId");
  if (previous != params.end() && *previous == stamp) {
    return {{"kind", "unchanged"}, {"resultId", stamp}};
  }
  return {{"kind", "full"},
          {"resultId", stamp},
          {"items", diagnostics_of(reading, uri_in(params), client_)}};
}

Json Server::hover(const Json& params) {
  Open& open = at(params);
  const Position place = position_in(params.at("position"));
  const auto offset = offset_of(*open.document.file(), place, client_.encoding);
  return hover_at(*read(open), offset, client_);
}

Json Server::act(const Json& params) {
  Open& open = at(params);
  const Range range = range_in(params.at("range"));
  const Json& context = params.at("context");
  const Json only = context.contains("only") ? context["only"] : Json(nullptr);
  const Edited edited{open.document.uri(), open.document.version()};
  const auto& reading = read(open);
  Json all = Json::array();
  if (only.is_null() || wants(only, kQuickFix)) {
    if (open.fixes == nullptr) {
      open.fixes = std::make_unique<Fixes>(reading);
    }
    all = actions_between(*open.fixes,
                          offset_of(*reading->file, range.start, client_.encoding),
                          offset_of(*reading->file, range.end, client_.encoding),
                          edited,
                          client_);
  }
  if (wants(only, kFixAll)) {
    for (Json& action : fix_all(*reading, edited, client_)) {
      all.push_back(std::move(action));
    }
  }
  return all;
}

Json Server::complete(const Json& params) {
  Open& open = at(params);
  const Position place = position_in(params.at("position"));
  const auto& file = *open.document.file();
  read(open);
  return completions_at(file, offset_of(file, place, client_.encoding), *open.readable, client_);
}

Json Server::hint(const Json& params) {
  Open& open = at(params);
  const Range range = range_in(params.at("range"));
  const LintedDocument& reading = *read(open);
  return hints_between(reading,
                       offset_of(*reading.file, range.start, client_.encoding),
                       offset_of(*reading.file, range.end, client_.encoding),
                       client_);
}

namespace {

std::string text_of(const std::string& name, const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number() || value.is_boolean()) {
    return value.dump();
  }
  throw os::UsageError(
      fmt::format("the editor's setting `{}` is not a string, number or boolean", name));
}

void add(const std::string& name, const Json& value, Settings& user_settings) {
  if (value.is_null()) {
    return;
  }
  if (value.is_array()) {
    for (const Json& item : value) {
      user_settings.emplace_back(name, text_of(name, item));
    }
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      // A name without a value is unset on purpose.
      user_settings.emplace_back(name, item.is_null() ? key : key + "=" + text_of(name, item));
    }
  } else {
    user_settings.emplace_back(name, text_of(name, value));
  }
}

}  // namespace

Settings settings_in(const Json& settings) {
  Settings user_settings;
  if (settings.is_null()) {
    return user_settings;
  }
  if (!settings.is_object()) {
    throw os::UsageError("the editor's settings are not a mapping of names to values");
  }
  const auto own = settings.find("epwise");
  if (own != settings.end()) {
    return settings_in(*own);
  }
  for (const auto& [name, value] : settings.items()) {
    add(name, value, user_settings);
  }
  return user_settings;
}

}  // namespace epwise::lsp
