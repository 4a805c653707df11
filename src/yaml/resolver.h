#pragma once

#include <cstdint>
#include <string_view>

#include "yaml/scalar.h"

namespace epwise::yaml {

/// What a loader takes a plain word for, by its pattern alone. `sign`: `=` and `<<`, which YAML
/// gives a meaning of their own.
enum class Implicit : std::uint8_t { null, boolean, integer, real, timestamp, sign, text };

/// PyYAML's patterns, and those that OmegaConf adds and takes away. For Dialect::words the answer
/// is PyYAML's.
Implicit resolve(std::string_view word, Dialect dialect);

/// Whether the word is one of YAML's nulls: nothing, `~`, `null`, `Null`, `NULL`.
bool is_null_word(std::string_view word);

}  // namespace epwise::yaml
