#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/mark.h"
#include "text/source_file.h"

namespace epwise::waive {

/// A comment by which the user accepts findings:
///   # epwise: ignore[EPO014] while te < 2.8: waiting for the new container
///   # epwise: ignore[batch/indivisible, PAR010] until 2027-03-01: the data set ends there
///   # epwise: ignore-file[hygiene/no-tokenizer]: the launcher adds it
struct Comment {
  text::Mark mark;                 // from its `#` to the end of the line
  bool whole_line = false;         // nothing but blanks stands before it
  bool whole_file = false;         // ignore-file
  std::vector<std::string> rules;  // ids or codes, as written
  std::string condition;           // behind `while`; empty: none
  std::string until;               // "2027-03-01"; empty: none
  std::string reason;
  std::string problem;  // why it counts for nothing, and help; empty otherwise
};

/// Whether a text may hold such comments at all; a fast look.
bool has_comments(const text::SourceFile& file);

/// All of them in the order of the text. `scalars`: stretches that are text and no comment, in any
/// order.
std::vector<Comment> comments_of(const text::SourceFile& file,
                                 const std::vector<text::Mark>& scalars);

}  // namespace epwise::waive
