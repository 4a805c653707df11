#pragma once

#include <string_view>
#include <vector>

#include "yaml/events.h"
#include "yaml/gaps.h"

namespace epwise::yaml {

/// Fills begin, end, tag, anchor place and `plain` of every event of one whole document, and turns
/// a null that stands there as a word into one with that word as its text. One pass over the text;
/// never reads outside it. `from`: where the document before, or its last directive, ends.
///
/// Returns what is wrong with the document all the same, in the order of the text.
std::vector<Flaw> locate(std::string_view text, std::size_t from, Record& record);

}  // namespace epwise::yaml
