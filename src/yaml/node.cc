#include "yaml/node.h"

#include <algorithm>

namespace epwise::yaml {

const Node* Node::find(std::string_view key) const {
  const auto entry = std::find_if(
      entries.rbegin(), entries.rend(), [key](const Entry& each) { return each.key == key; });
  return entry == entries.rend() ? nullptr : &entry->value;
}

}  // namespace epwise::yaml
