// Apart from vocabulary.cc, so that the rule compiler, which makes the embedded table, links
// without it.
#include "data/embedded.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

Vocabulary Vocabulary::load(Framework framework, std::string_view version) {
  return load(framework, version, data::compiled_vocabulary());
}

std::vector<std::string_view> Vocabulary::versions(Framework framework) {
  return versions(framework, data::compiled_vocabulary());
}

}  // namespace epwise::recipe
