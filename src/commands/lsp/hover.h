#pragma once

#include "commands/lsp/client.h"
#include "commands/lsp/lint_service.h"

namespace epwise::lsp {

/// Hover text at a position: the findings there, each with its cause and fixes; otherwise how the
/// value of the key is computed. Null if there is nothing.
Json hover_at(const LintedDocument& reading, std::size_t offset, const Client& client);

/// After each value that the framework replaces at start-up, the new value, with the reason as a
/// tooltip; for values between two offsets of the text.
Json hints_between(const LintedDocument& reading,
                   std::size_t begin,
                   std::size_t end,
                   const Client& client);

}  // namespace epwise::lsp
