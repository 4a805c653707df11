#pragma once

#include <string>
#include <vector>

#include "base/text/source_file.h"
#include "session/settings/settings.h"

namespace epwise::session {

/// Target settings in comments at the top of a recipe:
///
///   # GB200 pre-training
///   # epwise: --hw gb200 --gpus 256
///   # epwise: --stack nemo-25.09
///   model: …
///
/// Only comments before the first line of content are read, and only those whose text after
/// "epwise:" starts with an option; they take the options of target_options.h. Throws
/// os::UsageError, naming the line, for anything else.
TargetSettings read_header(const text::SourceFile& file);

/// Splits like a shell: at blanks, with '…' and "…" kept together.
std::vector<std::string> split_words(std::string_view text);

}  // namespace epwise::session
