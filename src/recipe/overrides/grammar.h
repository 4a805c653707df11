#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recipe/bridge/config_tree.h"

namespace epwise::recipe {

/// One override in Hydra's grammar.
struct Override {
  enum class Kind : std::uint8_t {
    change,  // a.b=1
    add,     // +a.b=1
    force,   // ++a.b=1
    remove,  // ~a.b or ~a.b=1
  };
  Kind kind = Kind::change;
  std::string key;                     // "a.b", or a group "a/b"
  std::optional<std::string> package;  // after an `@`
  std::optional<ConfigNode> value;     // nullopt only for `~a.b`; leaves without marks
  bool sweep = false;  // a,b or choice(…): several values, which a single launch cannot take
  std::size_t value_at = 0;  // offset of the value in the text
};

struct OverrideResult {
  std::optional<Override> parsed;
  std::string problem = {};  // if there is none: "`=` is missing"
  std::size_t at = 0;        // offset of the problem in the text
};

/// Reads one word. Values are typed as Hydra types them, which is neither YAML nor Python:
///   1e-4, .5, inf → numbers
///   010, 0x10, yes, None → texts
///   True, TRUE, tRue → true
///   1_000 → 1000
///   [a,b], {a: 1}, 'a,b' → list, mapping, text
///   a=1 b=2 in one word, a#b, a=b → no override
OverrideResult parse_override(std::string_view text);

}  // namespace epwise::recipe
