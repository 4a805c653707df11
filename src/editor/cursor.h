#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "text/source_file.h"

namespace epwise::editor {

/// What somebody is about to write at a place of a YAML text. Looks at lines and their indentation
/// alone, because a text that is being written is seldom well-formed.
struct Cursor {
  enum class Place : std::uint8_t {
    nothing,  // a comment, inside {…}, below a list of mappings
    key,
    value,
  };

  Place place = Place::nothing;
  std::vector<std::string> path;  // the keys above, of a value with its own: {"model", "bf16"}
  std::string word;               // what stands there before the cursor, without quotes
  std::size_t begin = 0;          // offsets of the word or value that a completion replaces
  std::size_t end = 0;
  bool has_colon = false;             // of a key: one stands behind it
  std::vector<std::string> siblings;  // of a key: those that stand in its mapping already
};

///   "model:\n  moe_tok|"       → key, path {model}, word "moe_tok"
///   "model:\n  bf16: tr|"      → value, path {model, bf16}, word "tr"
///   "model:\n  mods: [a, b|]"  → value, path {model, mods}, word "b"
Cursor cursor_at(const text::SourceFile& file, std::size_t offset);

}  // namespace epwise::editor
