#pragma once

#include "editor/json.h"
#include "editor/position.h"

namespace epwise::editor {

/// What the client has said about itself, and what was agreed upon.
struct Client {
  Encoding encoding = Encoding::utf16;
  bool related = false;          // shows places that belong to a diagnostic
  bool pulls = false;            // asks for diagnostics, so that none are pushed
  bool refreshes = false;        // can be told to ask again
  bool refreshes_hints = false;  // the same for inlay hints
  bool markdown = false;         // in hovers
  bool versioned_edits = false;  // edits may name the version that they are for
  bool literal_actions = false;  // code actions with their edit, not only commands
  bool watches = false;          // can be asked to watch files
};

/// `params` of initialize. The encoding is the first of the client's that is known here.
Client client_of(const Json& params);

Json json_of(const Position& position);
Json json_of(const Range& range);

/// Throw Json exceptions for what is no position or range.
Position position_in(const Json& json);
Range range_in(const Json& json);

}  // namespace epwise::editor
