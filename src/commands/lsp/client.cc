#include "commands/lsp/client.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace epwise::lsp {

namespace {

/// A nested member; null if there is none.
Json at(const Json& json, std::initializer_list<const char*> path) {
  const Json* place = &json;
  for (const char* key : path) {
    if (!place->is_object() || !place->contains(key)) {
      return nullptr;
    }
    place = &(*place)[key];
  }
  return *place;
}

bool is_true(const Json& json, std::initializer_list<const char*> path) {
  const Json value = at(json, path);
  return value.is_boolean() && value.get<bool>();
}

bool holds(const Json& list, std::string_view word) {
  return list.is_array() && std::ranges::find(list, Json(word)) != list.end();
}

Encoding encoding_of(const Json& offered) {
  if (offered.is_array()) {
    for (const Json& name : offered) {
      for (const Encoding known : {Encoding::utf8, Encoding::utf16, Encoding::utf32}) {
        if (name == to_string(known)) {
          return known;
        }
      }
    }
  }
  return Encoding::utf16;
}

}  // namespace

Client client_of(const Json& params) {
  const Json can = at(params, {"capabilities"});
  Client client;
  client.encoding = encoding_of(at(can, {"general", "positionEncodings"}));
  client.related = is_true(can, {"textDocument", "publishDiagnostics", "relatedInformation"});
  client.pulls = at(can, {"textDocument", "diagnostic"}).is_object();
  client.refreshes = is_true(can, {"workspace", "diagnostics", "refreshSupport"});
  client.refreshes_hints = is_true(can, {"workspace", "inlayHint", "refreshSupport"});
  client.markdown = holds(at(can, {"textDocument", "hover", "contentFormat"}), "markdown");
  client.versioned_edits = is_true(can, {"workspace", "workspaceEdit", "documentChanges"});
  client.literal_actions =
      at(can, {"textDocument", "codeAction", "codeActionLiteralSupport"}).is_object();
  client.watches = is_true(can, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  return client;
}

Json json_of(const Position& position) {
  return {{"line", position.line}, {"character", position.character}};
}

Json json_of(const Range& range) {
  return {{"start", json_of(range.start)}, {"end", json_of(range.end)}};
}

Position position_in(const Json& json) {
  const auto count = [&json](const char* key) {
    const auto value = json.at(key).get<std::int64_t>();
    return static_cast<std::size_t>(std::max<std::int64_t>(value, 0));
  };
  return {count("line"), count("character")};
}

Range range_in(const Json& json) {
  return {position_in(json.at("start")), position_in(json.at("end"))};
}

}  // namespace epwise::lsp
