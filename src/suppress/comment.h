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
  text::Mark mark;          // from its `#` to the end of the line, or to the next such comment
  bool whole_line = false;  // only blanks precede it
  bool whole_file = false;  // ignore-file
  std::vector<std::string> rules;  // ids or codes, as written
  std::string condition;           // after `while`; empty: none
  std::string until;               // "2027-03-01"; empty: none
  std::string reason;
  std::string problem;  // why it is invalid, and help; otherwise empty
};

/// Whether a text may contain such comments at all; a fast check.
bool has_comments(const text::SourceFile& file);

/// All of them in text order. `scalars`: ranges that are text rather than comments, in any order.
std::vector<Comment> comments_of(const text::SourceFile& file, std::vector<text::Mark> scalars);

/// Every scalar of the documents, as in the text.
std::vector<text::Mark> scalars_of(const std::vector<yaml::Document>& documents);

/// The ranges to which the comments of a file apply. An answer takes logarithmic time, so that a pile
/// of comments takes linear time.
class Scopes {
 public:
  /// In YAML: the key and whole value that the comment follows or, on its own line, the one below.
  ///   # epwise: ignore[…]: …
  ///   comm_overlap:              ← from here
  ///     delay_wgrad_compute: on  ← to here
  static Scopes in_yaml(const std::vector<yaml::Document>& documents);

  /// In a shell script: its line, or the one below, up to the end of the command or list.
  static Scopes in_script(const text::SourceFile& file);

  /// Nullopt if there is nothing to which the comment applies.
  std::optional<text::Mark> of(const Comment& comment) const;

 private:
  /// Lines of a script that count from one line on.
  struct Line {
    int code = 0;         // the first that is not a comment
    int command_end = 0;  // the last of the command that starts here
  };

  std::optional<text::Mark> in_lines(const Comment& comment) const;

  std::vector<text::Mark> stretches_;  // of YAML: by begin, the longest first
  std::vector<Line> lines_;            // of a script
};

}  // namespace epwise::suppress
