#pragma once

#include <string_view>

#include "text/diagnostic.h"
#include "yaml/events.h"

namespace epwise::yaml {

/// The tokeniser's complaint as a diagnostic: where the mistake is, not where it was noticed, and
/// what to do about it. `record` holds what was read before.
text::Diagnostic syntax_error(const text::SourceFile& file,
                              std::string_view text,
                              std::string_view complaint,
                              std::size_t noticed,
                              const Record& record);

/// What stands at `start` belongs to no document.
text::Diagnostic stray_content(const text::SourceFile& file,
                               std::string_view text,
                               std::size_t start);

}  // namespace epwise::yaml
