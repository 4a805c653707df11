#pragma once

#include <string>

#include "text/source_file.h"

namespace epwise::recipe {

/// What stands behind `# epwise:` in the comments before the first line of content; several such
/// lines are joined.
///   # epwise: --hw h100 --gpus 64
///   # epwise: --stack te=2.14.0      → "--hw h100 --gpus 64 --stack te=2.14.0"
/// Comments such as `# epwise: ignore[…]` are directives of another kind and left out.
std::string header_comment(const text::SourceFile& file);

}  // namespace epwise::recipe
