#pragma once

#include <cstddef>

#include "editor/client.h"
#include "editor/desk.h"
#include "editor/json.h"

namespace epwise::editor {

/// What can be written at a place: keys that the framework's version has and that do not stand
/// there yet, or the words that a value may be, from the vocabulary and from what the rules compare
/// it with. Where nothing begins with or holds the word that stands there, the nearest ones.
///
/// `file`: the text as it is. `known`: the last version of it that could be read, which tells
/// framework, version and class.
Json completions_at(const text::SourceFile& file,
                    std::size_t offset,
                    const Reading& known,
                    const Client& client);

}  // namespace epwise::editor
