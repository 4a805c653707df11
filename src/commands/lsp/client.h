#pragma once

#include "commands/lsp/position.h"
#include "ui/json.h"

namespace epwise::lsp {

/// Messages between a language client and this server.
using report::Json;

/// Capabilities of the client, and the negotiated options.
struct Client {
  Encoding encoding = Encoding::utf16;
  bool related = false;          // shows related locations of a diagnostic
  bool pulls = false;            // requests diagnostics, so none are pushed
  bool refreshes = false;        // supports refresh requests
  bool refreshes_hints = false;  // the same for inlay hints
  bool markdown = false;         // in hovers
  bool versioned_edits = false;  // edits may name the version that they apply to
  bool literal_actions = false;  // code actions with their edit, not only commands
  bool watches = false;          // can watch files
};

/// `params` of initialize. Uses the first of the client's encodings that is supported here.
Client client_of(const Json& params);

Json json_of(const Position& position);
Json json_of(const Range& range);

/// Throw Json exceptions for malformed positions or ranges.
Position position_in(const Json& json);
Range range_in(const Json& json);

}  // namespace epwise::lsp
