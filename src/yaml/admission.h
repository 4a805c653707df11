#pragma once

#include <optional>

#include "text/diagnostic.h"
#include "yaml/parse.h"

namespace epwise::yaml {

/// What keeps a text from being tokenised at all: its size, its encoding, characters that YAML has
/// no place for, or so many flow tokens in a row that the tokeniser's queue would grow without
/// bound. Linear, allocates nothing but the answer.
std::optional<text::Diagnostic> refuse(const text::SourceFile& file, const Limits& limits);

}  // namespace epwise::yaml
