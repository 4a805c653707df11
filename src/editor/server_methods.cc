#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "editor/completion.h"
#include "editor/diagnostics.h"
#include "editor/hints.h"
#include "editor/hover.h"
#include "editor/json.h"
#include "editor/server.h"
#include "editor/uri.h"
#include "editor/wishes.h"
#include "world/files.h"

// What the server does at each method; server.cc has their list and the connection.
namespace epwise::editor {

namespace {

constexpr int kError = 1;
constexpr std::string_view kFixAll = "source.fixAll";
constexpr std::string_view kQuickFix = "quickfix";

const std::string& uri_in(const Json& params) {
  return params.at("textDocument").at("uri").get_ref<const std::string&>();
}

/// Whether a client that asks for these kinds of actions wants one of `kind`.
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

/// The folder that the editor has open; empty for none.
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
  wish(params.contains("initializationOptions") ? params["initializationOptions"] : Json());
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

void Server::wish(const Json& settings) {
  try {
    desk_.set(wishes_in(settings), root_);
  } catch (const world::UsageError& error) {
    // In the log alone nobody would see it, and every file would be linted on something else.
    log(kError, error.what());
    notify("window/showMessage",
           {{"type", kError}, {"message", fmt::format("epwise: {}", error.what())}});
  }
}

void Server::configure(const Json& params) {
  const auto settings = params.find("settings");
  if (settings != params.end() && !settings->is_null()) {
    wish(*settings);
    reread_all();
  }
}

void Server::disk_changed(const Json& /*params*/) {
  desk_.forget();
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
  const std::string name = path ? desk_.name_of(*path) : uri.substr(uri.rfind('/') + 1);
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

const std::shared_ptr<const Reading>& Server::read(Open& open) {
  if (open.reading == nullptr) {
    open.fixes = nullptr;
    open.reading = desk_.lint(open.document.file());
    open.stamp = ++stamps_;
    const bool usable = std::ranges::any_of(
        open.reading->sheets, [](const Sheet& sheet) { return sheet.recipe->readable; });
    if (usable || open.readable == nullptr) {
      open.readable = open.reading;
    }
    const std::string& problem = open.reading->problem;
    if (!problem.empty() && problem != said_problem_) {
      log(kError, problem);
    }
    said_problem_ = problem;
  }
  return open.reading;
}

Json Server::diagnose(const Json& params) {
  Open& open = at(params);
  const Reading& reading = *read(open);
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
  const Json context = params.at("context");
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
  const Reading& reading = *read(open);
  return hints_between(reading,
                       offset_of(*reading.file, range.start, client_.encoding),
                       offset_of(*reading.file, range.end, client_.encoding),
                       client_);
}

}  // namespace epwise::editor
