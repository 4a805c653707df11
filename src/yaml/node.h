#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"

namespace epwise::yaml {

enum class Kind : std::uint8_t { null, scalar, sequence, mapping };

struct Entry;

/// One node of the tree built from parser events. Every scalar has a position.
///
/// `mark` covers the value as in the text, including quotes; for a value that came in through an
/// alias it covers the `*alias`, and `defined` covers the text at the anchor. Otherwise both are
/// equal. An empty value (`key:`) has a mark of length 0 after its key.
struct Node {
  Kind kind = Kind::null;
  bool plain = true;  // scalar without quotes, not a block scalar
  text::Mark mark;
  text::Mark defined;
  std::string tag = {};  // explicit tag as written ("!!str", "!x"), empty if there is none
  /// Scalar: its text after unquoting and folding. Null: as written ("", "~", "null").
  std::string scalar = {};
  std::vector<Node> items;  // sequence
  /// Mapping: in file order, with duplicates, merge keys already resolved; merged entries come
  /// first.
  std::vector<Entry> entries;

  bool is_null() const { return kind == Kind::null; }

  bool is_scalar() const { return kind == Kind::scalar; }

  bool is_sequence() const { return kind == Kind::sequence; }

  bool is_mapping() const { return kind == Kind::mapping; }

  /// The value of `key` in a mapping as in PyYAML (the last of duplicates); null pointer if absent.
  const Node* find(std::string_view key) const;
};

struct Entry {
  std::string key;  // text of the key; keys that are not scalars are reported and omitted
  text::Mark key_mark;
  Node value;
  bool merged = false;  // came in through a merge key `<<`
};

inline const Node* Node::find(std::string_view key) const {
  const auto entry = std::find_if(
      entries.rbegin(), entries.rend(), [key](const Entry& each) { return each.key == key; });
  return entry == entries.rend() ? nullptr : &entry->value;
}

/// One document of a stream.
struct Document {
  Node root;
  int number = 1;  // from 1
  int first_line = 1;
};

}  // namespace epwise::yaml
