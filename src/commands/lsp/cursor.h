#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text/source_file.h"

namespace epwise::lsp {

/// What is being typed at a position of a YAML text. Uses only lines and their indentation, because
/// a text that is being edited is rarely well-formed.
struct Cursor {
  enum class Place : std::uint8_t {
    nothing,  // a comment, inside {…}, below a list of mappings
    key,
    value,
  };

  Place place = Place::nothing;
  // the parent keys, for a value including its own: {"model", "bf16"}
  std::vector<std::string> path;
  std::string word;       // the text before the cursor, without quotes
  std::size_t begin = 0;  // offsets of the word or value that a completion replaces
  std::size_t end = 0;
  bool has_colon = false;             // of a key: a colon follows
  std::vector<std::string> siblings;  // of a key: keys that its mapping already has
};

///   "model:\n  moe_tok|"       → key, path {model}, word "moe_tok"
///   "model:\n  bf16: tr|"      → value, path {model, bf16}, word "tr"
///   "model:\n  mods: [a, b|]"  → value, path {model, mods}, word "b"
Cursor cursor_at(const text::SourceFile& file, std::size_t offset);

}  // namespace epwise::lsp
