#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace epwise::recipe {

/// A token of the value side of an override, as Hydra's lexer cuts it: the longest match wins, then
/// the earlier kind.
struct OverrideToken {
  enum class Kind : std::uint8_t {
    open_paren,
    comma,
    close_paren,
    open_bracket,
    close_bracket,
    open_brace,
    close_brace,
    colon,
    equal,
    real,
    integer,
    boolean,
    null,
    other,  // one of / - \ + . $ % * @ ? |
    id,
    escape,  // \\ \( \) \[ \] \{ \} \: \= \, and an escaped blank, any number of them
    blank,
    quoted,
    interpolation,
    end,
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t at = 0;  // offset in the text that was cut
};

struct OverrideTokens {
  std::vector<OverrideToken> tokens;  // the last one is `end`
  bool complete = true;               // false: no token starts at the offset of `end`
};

OverrideTokens override_tokens(std::string_view value);

/// Length of a dotted path at the start of a key ("model.lst.0"); 0 when none starts there.
std::size_t override_path_length(std::string_view key);

}  // namespace epwise::recipe
