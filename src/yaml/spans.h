#pragma once

#include <string_view>
#include <vector>

#include "yaml/events.h"

namespace epwise::yaml {

/// Fills begin, end, tag, anchor place and `plain` of every event of one whole document, and turns
/// a null that stands there as a word into one with that word as its text. `from` is where the
/// document starts. One pass over the text; never reads outside it.
///
/// Returns the offsets of tabs that PyYAML does not take: those outside quotes, comments and block
/// scalars, the first of each line.
std::vector<std::uint32_t> locate(std::string_view text, std::size_t from, Events& events);

}  // namespace epwise::yaml
