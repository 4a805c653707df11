#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "yaml/events.h"
#include "yaml/node.h"
#include "yaml/parse.h"
#include "yaml/raw.h"

namespace epwise::yaml {

/// A key of a mapping as written; keys compare equal as in the loader: `1` and `0x1` are one key,
/// `1` and `"1"` are two.
struct Key {
  Node node;
  text::Mark mark;
};

/// Whether the key is a plain `<<`.
bool is_merge_key(const Node& key);

/// Reports every duplicate key; `keys[i]` belongs to `entries[i]`.
void report_duplicates(const std::vector<Key>& keys,
                       const std::vector<Entry>& entries,
                       std::vector<text::Diagnostic>& problems);

/// The mappings referenced by the merge keys of one mapping, in PyYAML's order of precedence.
class Merges {
 public:
  /// Takes the value of one merge key; returns the positions of values that are not mappings.
  std::vector<text::Mark> add(Node value);

  /// Inserts the merged entries before `entries`; explicit keys win.
  void apply(std::vector<Entry>& entries);

 private:
  std::vector<Entry> merged_;  // later ones win
};

/// Builds a stream from the records of its documents, one after another.
class StreamBuilder {
 public:
  /// `text`: the file's bytes with normalised line ends, to which the records' positions refer.
  StreamBuilder(const text::SourceFile& file, std::string_view text, const Limits& limits)
      : file_(file),
        text_(text),
        limits_(limits) {}

  /// Whether it makes sense to go on.
  bool is_readable() const { return stream_.readable; }

  /// The next document.
  void take(Record& record);

  /// An error that ends the reading.
  void fail(text::Diagnostic problem);

  /// The documents read, with the final diagnostics about the whole file.
  Stream finish();

 private:
  bool is_separate(std::size_t start) const;
  void report_flaws(const std::vector<Flaw>& flaws);
  void check_directives_before(std::size_t start);

  const text::SourceFile& file_;
  std::string_view text_;
  const Limits& limits_;
  Stream stream_;
  std::size_t end_ = 0;  // of the document before
};

}  // namespace epwise::yaml
