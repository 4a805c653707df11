#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/mark.h"

namespace epwise::yaml {

enum class Kind : std::uint8_t { null, scalar, sequence, mapping };

struct Entry;

/// One node of the tree that we build from parser events. There is no scalar without a position.
///
/// `mark` covers the value as it stands in the text, including quotes; for a value that came in
/// through an alias it covers the `*alias`, and `defined` covers the text at the anchor. Otherwise
/// both are equal. An empty value
/// (`key:`) has a mark of length 0 behind its key.
struct Node {
  Kind kind = Kind::null;
  bool plain = true;  // scalar written without quotes and not as a block scalar
  text::Mark mark;
  text::Mark defined;
  std::string tag = {};  // explicit tag as written ("!!str", "!x"), empty when none
  /// Scalar: its text after unquoting and folding. Null: what stands there ("", "~", "null").
  std::string scalar = {};
  std::vector<Node> items;  // sequence
  /// Mapping: in the order of the file, duplicates kept, merge keys already resolved; what they
  /// bring in stands in front.
  std::vector<Entry> entries;

  bool is_null() const { return kind == Kind::null; }

  bool is_scalar() const { return kind == Kind::scalar; }

  bool is_sequence() const { return kind == Kind::sequence; }

  bool is_mapping() const { return kind == Kind::mapping; }

  /// The value of `key` in a mapping as PyYAML would see it (the last of duplicates); null pointer
  /// when absent.
  const Node* find(std::string_view key) const;
};

struct Entry {
  std::string key;  // text of the key; keys that are no scalars are reported and left out
  text::Mark key_mark;
  Node value;
  bool merged = false;  // came in through a merge key `<<`
};

/// One document of a stream.
struct Document {
  Node root;
  int number = 1;  // from 1
  int first_line = 1;
};

}  // namespace epwise::yaml
