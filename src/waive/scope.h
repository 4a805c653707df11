#pragma once

#include <optional>
#include <vector>

#include "text/mark.h"
#include "waive/comment.h"
#include "yaml/node.h"

namespace epwise::waive {

/// Every scalar of the documents, as it stands in the text.
std::vector<text::Mark> scalars_of(const std::vector<yaml::Document>& documents);

/// What a comment speaks about: the key and whole value beside it, or, from a line of its own,
/// below it. Nullopt where there is none.
///   # epwise: ignore[…]: …
///   comm_overlap:              ← from here
///     delay_wgrad_compute: on  ← to here
std::optional<text::Mark> scope_of(const Comment& comment,
                                   const std::vector<yaml::Document>& documents);

/// The same in a shell script: its line, or the one below, up to where the command or list ends.
std::optional<text::Mark> scope_in_script(const Comment& comment);

}  // namespace epwise::waive
