#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "yaml/literal.h"
#include "yaml/parse.h"

namespace epwise::yaml {

/// One change of a document: the value at a path becomes a scalar or list, its key is renamed, or
/// it is removed.
struct Edit {
  std::vector<std::string> path;  // keys from the root down: {"model", "num_moe_experts"}
  // nullopt: the key is removed, with its line and the comment after it
  std::optional<Literal> value;
  std::string rename = {};  // the key's new name; its value is kept, and `value` is ignored
};

/// Why a document is not changed.
struct Refusal {
  text::Mark mark;     // in the file to be edited
  std::string reason;  // a clause without full stop: "the value spans several lines"
};

/// Replaces `size` bytes from `begin` on by `text`.
struct Splice {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::string text;
};

/// A text and what parsing it gave; its marks refer to the text.
struct ParsedText {
  std::shared_ptr<const text::SourceFile> file;  // null pointer: not parsed
  std::shared_ptr<const Stream> stream;
};

struct Edited {
  std::string text;                // the whole file, with its byte-order mark if it had one
  ParsedText parsed;               // the same, if it was parsed to see what the edits did
  std::optional<Refusal> refusal;  // set: `text` is the unchanged file
  /// The applied replacements, in order, each with offsets in the text left by the previous ones.
  std::vector<Splice> splices;
};

/// Applies the edits one after another; all of them or none. All other bytes are unchanged:
/// comments, order, quotes, line ends, block and flow style. A missing key is added in the style
/// and indentation of its neighbours (in sorted position if they are sorted, otherwise after them),
/// with missing parent sections. `document` counts from 1.
///
///   edit(file, 1, {{{"model", "num_moe_experts"}, Literal::of(std::int64_t{64})}})
///   "model:\n  num_moe_experts: 60  # why\n"  →  "model:\n  num_moe_experts: 64  # why\n"
///
/// The result is parsed and compared with the intended result (except for replacing one plain word
/// with another, which affects nothing else); changes that would affect other values (aliases,
/// merge keys, duplicate keys, text over several lines, tabs) are refused.
///
/// `parsed` is the result of `parse(file)`, if the caller has it.
Edited edit(const text::SourceFile& file,
            int document,
            const std::vector<Edit>& edits,
            const Stream* parsed = nullptr);

}  // namespace epwise::yaml
