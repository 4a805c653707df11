#pragma once

#include <cstddef>

#include "commands/lsp/client.h"
#include "commands/lsp/lint_service.h"

namespace epwise::lsp {

/// Completions at a position: keys that the framework version has and that are not there yet, or
/// the values of a field, from the vocabulary and from what the rules compare it with. If nothing
/// starts with or contains the typed word, the most similar ones.
///
/// `file`: the current text. `known`: the last readable version, which determines framework,
/// version and class.
Json completions_at(const text::SourceFile& file,
                    std::size_t offset,
                    const LintedDocument& known,
                    const Client& client);

}  // namespace epwise::lsp
