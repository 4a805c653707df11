#pragma once

#include <string>
#include <vector>

#include "base/text/diagnostic.h"
#include "ui/findings/writer.h"
#include "ui/style.h"

namespace epwise::report {

/// One marked location of a snippet. Exactly one label is primary.
struct SnippetLabel {
  text::Mark mark;
  std::string words;  // shown after or below the marks; may be empty
  bool primary = false;
};

/// Shows the user's text with the marked locations underlined: `^` under the primary one, `-` under
/// the others, several files one below the other, everything within `style.width` columns.
///
///    --> recipes/a.yaml:9:32
///     |
///   8 |   moe_token_dispatcher_type: flex
///     |                              ---- flex selects the backend below
///   9 |   moe_flex_dispatcher_backend: deepep
///     |                                ^^^^^^ not on this GPU
///     |
///    ::: base.yaml:4:3
///   …
///
/// * Columns in the arrow line count code points; marks are aligned for tabs and wide characters.
/// * A mark of length 0 is one caret. A mark over several lines is underlined line by line, over
///   more than six only in its first line.
/// * A line that is too wide is clipped on both sides of its first mark.
/// * A label that is nowhere is omitted. Empty text if all are.
///
/// `gutter` is the width of the line numbers (see `gutter_width`); lines end with '\n'.
std::string render_snippet(const std::vector<SnippetLabel>& labels,
                           int gutter,
                           lint::Severity severity,
                           const Style& style,
                           const Paint& paint);

/// Digits of the largest line number that the labels show; 1 if there is none.
int gutter_width(const std::vector<SnippetLabel>& labels);

}  // namespace epwise::report
