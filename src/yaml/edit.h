#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "text/mark.h"
#include "text/source_file.h"
#include "yaml/literal.h"
#include "yaml/parse.h"

namespace epwise::yaml {

/// One change of a document: what stands at a path becomes a scalar or list, is called otherwise,
/// or goes.
struct Edit {
  std::vector<std::string> path;  // keys from the root down: {"model", "num_moe_experts"}
  std::optional<Literal> value;   // nullopt: the key goes, with its line and the comment behind it
  std::string rename = {};        // the key's new name; its value stays, and `value` says nothing
};

/// Why a document is left as it is.
struct Refusal {
  text::Mark mark;     // in the file that was to be edited
  std::string reason;  // a clause without full stop: "the value spans several lines"
};

/// `size` bytes from `begin` on become `text`.
struct Splice {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::string text;
};

struct Edited {
  std::string text;                // the whole file, with its byte-order mark if it had one
  std::optional<Refusal> refusal;  // set: `text` is the file as it was
  /// What was done, in order, each in offsets of the text that the ones before it left.
  std::vector<Splice> splices;
};

/// Applies the edits one after another; all of them or none. Every other byte stays: comments,
/// order, quotes, line ends, block and flow style. A key that is not there is added in the style
/// and indent of its neighbours (in its place where they are sorted, else behind them), with the
/// sections above it where they are missing. `document` counts from 1.
///
///   edit(file, 1, {{{"model", "num_moe_experts"}, Literal::of(std::int64_t{64})}})
///   "model:\n  num_moe_experts: 60  # why\n"  →  "model:\n  num_moe_experts: 64  # why\n"
///
/// The result is parsed and held against what was meant (but for one plain word in the place of
/// another, which ties nothing else); whatever can't be changed alone (aliases,
/// merge keys, keys that stand twice, text over several lines, tabs) is refused.
///
/// `parsed` is what `parse(file)` gave, where the caller has it.
Edited edit(const text::SourceFile& file,
            int document,
            const std::vector<Edit>& edits,
            const Stream* parsed = nullptr);

}  // namespace epwise::yaml
