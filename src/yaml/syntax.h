#pragma once

#include <optional>
#include <string_view>

#include "base/text/diagnostic.h"
#include "yaml/events.h"
#include "yaml/raw.h"

namespace epwise::yaml {

/// Turns a tokeniser error into a diagnostic: the location of the mistake rather than where it was
/// noticed, and what to do about it. `record` contains what was read before.
text::Diagnostic syntax_error(const text::SourceFile& file,
                              std::string_view text,
                              std::string_view complaint,
                              std::size_t noticed,
                              const Record& record);

/// The text at `start` belongs to no document.
text::Diagnostic stray_content(const text::SourceFile& file,
                               std::string_view text,
                               std::size_t start);

/// Checks `%YAML 1.1` and other directive lines between two documents, [begin, end): each needs a
/// valid name, and a `---` at `end`.
std::optional<Flaw> check_directives(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace epwise::yaml
