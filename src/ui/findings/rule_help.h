#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/rule.h"

namespace epwise::report {

/// The URL of a rule's source: a plain URL unchanged, a place in a repository as a GitHub URL.
std::string uri_of(const lint::Reference& reference);

/// A short name for it: "Megatron-Bridge@067f987d comm_overlap.py:479", or the URL without its
/// scheme.
std::string name_of(const lint::Reference& reference);

/// The full reference on one line: "NVIDIA-NeMo/Megatron-Bridge@067f987d
/// src/…/comm_overlap.py:479", or the URL.
std::string reference_line(const lint::Reference& reference);

/// The documentation of a rule, for formats that include it.
std::string help_text(const lint::Rule& rule);
std::string help_markdown(const lint::Rule& rule);

/// At most ten tags: topic, frameworks, "launch" for checks at start-up, …
std::vector<std::string> tags_of(const lint::Rule& rule);

/// "very-high", "high" or "medium", the terms of code scanning.
std::string_view precision_of(const lint::Rule& rule);

/// Markdown in which nothing in `text` is markup, on one line, safe in a table cell.
std::string markdown(std::string_view text);

}  // namespace epwise::report
