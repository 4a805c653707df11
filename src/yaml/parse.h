#pragma once

#include <cstddef>
#include <vector>

#include "base/text/diagnostic.h"
#include "yaml/node.h"

namespace epwise::yaml {

/// Limits that make malicious inputs harmless; exceeding one is a diagnostic with a position, never
/// a crash or a hang.
struct Limits {
  std::size_t bytes = std::size_t{16} << 20;  // larger inputs: yaml/too-large at their first line
  std::size_t nodes = 400'000;  // after alias expansion: yaml/too-many-nodes ("alias bomb")
  int depth = 64;               // nesting: yaml/too-deep
  int documents = 64;
};

struct Stream {
  std::vector<Document> documents;  // those that could be read before the first fatal problem
  std::vector<text::Diagnostic> diagnostics;  // in text order
  bool readable = true;  // false: a syntax-level problem; documents may be incomplete
};

/// Text → trees with exact marks. Never throws for the contents of the text and always terminates:
/// yaml-cpp is called one document at a time and stopped if a document starts at the same place as
/// the previous one.
///
/// Diagnostics (rule ids): yaml/syntax, yaml/encoding, yaml/too-large, yaml/too-many-nodes,
/// yaml/too-deep, yaml/duplicate-key (both locations; the help says whether the values are equal,
/// and that the last one wins), yaml/unknown-alias, yaml/recursive-alias, yaml/unused-anchor,
/// yaml/merge-key (its value is not a mapping), yaml/key-not-scalar, yaml/tab (a tab used for
/// indentation), yaml/byte-order-mark (note), yaml/empty (no content). Merge keys are resolved as
/// in PyYAML: explicit keys win, earlier mappings of a list win over later ones.
Stream parse(const text::SourceFile& file, const Limits& limits = {});

/// The same without the shortcut for simple lines (yaml/abridgement.h). Tests compare the two.
Stream parse_slowly(const text::SourceFile& file, const Limits& limits = {});

/// "UTF-16", "UTF-32" or "" of the bytes of a file: from the byte-order mark, or from the zero bytes
/// of plain English.
std::string_view wide_encoding(std::string_view text);

/// The problems of a file in reading order: in text order, and at most 100 of a kind; the last of
/// these gives the number omitted.
std::vector<text::Diagnostic> readable_list(std::vector<text::Diagnostic> problems);

}  // namespace epwise::yaml
