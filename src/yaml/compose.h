#pragma once

#include <optional>
#include <vector>

#include "text/diagnostic.h"
#include "text/source_file.h"
#include "yaml/events.h"
#include "yaml/node.h"
#include "yaml/parse.h"

namespace epwise::yaml {

/// Makes nodes of the located events of one document: aliases replaced by what they stand for,
/// merge keys resolved, duplicate keys and unused anchors reported.
struct Composition {
  std::optional<Node> root;  // empty when a limit is crossed; the reason stands in `problems` then
  bool complete = true;      // false when a value had to be left out
};

Composition compose(const text::SourceFile& file,
                    const Events& events,
                    const Limits& limits,
                    std::vector<text::Diagnostic>& problems);

}  // namespace epwise::yaml
