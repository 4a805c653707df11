#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "yaml/node.h"

namespace epwise::suppress {

/// A comment by which the user accepts findings:
///   # epwise: ignore[EPO014] while te < 2.8: waiting for the new container
///   # epwise: ignore[batch/indivisible, PAR010] until 2027-03-01: the data set ends there
///   # epwise: ignore-file[hygiene/no-tokenizer]: the launcher adds it
struct Comment {
  text::Mark mark;                 // from its `#` to the end of the line
  bool whole_line = false;         // only blanks precede it
  bool whole_file = false;         // ignore-file
  std::vector<std::string> rules;  // ids or codes, as written
  std::string condition;           // after `while`; empty: none
  std::string until;               // "2027-03-01"; empty: none
  std::string reason;
  std::string problem;  // why it is invalid, and help; otherwise empty
};

/// Whether a text may contain such comments at all; a fast check.
bool has_comments(const text::SourceFile& file);

/// All of them in text order. `scalars`: ranges that are text rather than comments, in any order.
std::vector<Comment> comments_of(const text::SourceFile& file,
                                 const std::vector<text::Mark>& scalars);

/// Every scalar of the documents, as in the text.
std::vector<text::Mark> scalars_of(const std::vector<yaml::Document>& documents);

/// The range to which a comment applies: the key and whole value it follows or, on its own line,
/// the one below. Nullopt if there is none.
///   # epwise: ignore[…]: …
///   comm_overlap:              ← from here
///     delay_wgrad_compute: on  ← to here
std::optional<text::Mark> scope_of(const Comment& comment,
                                   const std::vector<yaml::Document>& documents);

/// The same in a shell script: its line, or the one below, up to the end of the command or list.
std::optional<text::Mark> scope_in_script(const Comment& comment);

}  // namespace epwise::suppress
