#pragma once

#include <cstddef>
#include <string_view>

namespace epwise::yaml {

/// Anchor and tag in front of a value: `&a !!str 1`.
struct Properties {
  std::string_view anchor;  // "&a"; empty when there is none
  std::string_view tag;     // "!!str"
  std::size_t anchor_at = 0;
  std::size_t end = 0;    // behind the last of them
  std::size_t value = 0;  // where the value starts, or whatever comes instead
};

/// Reads at most `most` anchors and tags from `from` on.
Properties read_properties(std::string_view text, std::size_t from, int most);

/// Why PyYAML refuses the anchor, alias or tag that starts at `from`; empty when it doesn't.
std::string_view refused_property(std::string_view text, std::size_t from);

}  // namespace epwise::yaml
