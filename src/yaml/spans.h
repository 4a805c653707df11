#pragma once

#include <string_view>
#include <vector>

#include "yaml/events.h"
#include "yaml/raw.h"

namespace epwise::yaml {

/// Fills in begin, end, tag, anchor position and `plain` of every event of one complete document,
/// and turns a null that is written as a word into one with that word as its text. One pass over
/// the text; never reads outside it. `from`: the end of the previous document, or of its last
/// directive.
///
/// Returns further problems of the document, in text order.
std::vector<Flaw> locate(std::string_view text, std::size_t from, Record& record);

}  // namespace epwise::yaml
