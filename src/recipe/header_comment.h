#pragma once

#include <string>

#include "base/text/source_file.h"

namespace epwise::recipe {

/// The text after `# epwise:` in the comments before the first line of content; several such lines
/// are joined.
///   # epwise: --hw h100 --gpus 64
///   # epwise: --stack te=2.14.0      → "--hw h100 --gpus 64 --stack te=2.14.0"
/// Comments such as `# epwise: ignore[…]` are other directives and are skipped.
std::string header_comment(const text::SourceFile& file);

}  // namespace epwise::recipe
