#pragma once

#include <vector>

#include "text/diagnostic.h"
#include "yaml/node.h"

namespace epwise::yaml {

/// A key of a mapping as it was written; equality of keys is the loader's: `1` and `0x1` are one
/// key, `1` and `"1"` are two.
struct Key {
  Node node;
  text::Mark mark;
};

/// Whether the key is a plain `<<`.
bool is_merge_key(const Node& key);

/// Reports every key that stands twice; `keys[i]` belongs to `entries[i]`.
void report_duplicates(const std::vector<Key>& keys,
                       const std::vector<Entry>& entries,
                       std::vector<text::Diagnostic>& problems);

/// The mappings that the merge keys of one mapping name, in PyYAML's order of strength.
class Merges {
 public:
  /// Takes the value of one merge key; returns the places of what is no mapping.
  std::vector<text::Mark> add(Node value);

  /// Puts in front of `entries` what comes in; explicit keys win.
  void apply(std::vector<Entry>& entries);

 private:
  std::vector<Entry> merged_;  // later ones win
};

}  // namespace epwise::yaml
