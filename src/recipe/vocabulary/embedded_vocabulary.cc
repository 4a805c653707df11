// Apart from vocabulary.cc, so that the rule compiler, which makes the embedded table, links
// without it.
#include <array>

#include "data/embedded.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

Vocabulary Vocabulary::load(Framework framework, std::string_view version) {
  return load(framework, version, data::compiled_vocabulary());
}

std::vector<std::string_view> Vocabulary::versions(Framework framework) {
  // Reading a table takes millions of instructions, and each lint asks several times.
  static const std::array<std::vector<std::string_view>, 2> kAll = {
      versions(Framework::bridge, data::compiled_vocabulary()),
      versions(Framework::mlm, data::compiled_vocabulary())};
  return kAll[framework == Framework::bridge ? 0 : 1];
}

}  // namespace epwise::recipe
