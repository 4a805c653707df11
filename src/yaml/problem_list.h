#pragma once

#include <vector>

#include "text/diagnostic.h"

namespace epwise::yaml {

/// The problems of a file as a person reads them: in the order of the text, and at most 100 of a
/// kind; the last of these says how many were left out.
std::vector<text::Diagnostic> readable_list(std::vector<text::Diagnostic> problems);

}  // namespace epwise::yaml
