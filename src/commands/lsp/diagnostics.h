#pragma once

#include <string>

#include "commands/lsp/client.h"
#include "commands/lsp/lint_service.h"

namespace epwise::lsp {

/// The location of a finding in the text: its own or, if that is in another file, the first line of
/// the recipe.
text::Mark place_of(const LintedDocument& reading,
                    const session::Analysis& analysis,
                    const text::Mark& mark);

/// One finding as an LSP diagnostic: range, severity, `code` with the rule's id, related locations,
/// and in `data` the rule's short code.
Json diagnostic_of(const LintedDocument& reading,
                   const session::Analysis& analysis,
                   const lint::Finding& finding,
                   const std::string& uri,
                   const Client& client);

/// All diagnostics of a text, by location.
Json diagnostics_of(const LintedDocument& reading, const std::string& uri, const Client& client);

}  // namespace epwise::lsp
