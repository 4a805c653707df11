#pragma once

#include <string>

#include "lint/rule.h"

namespace epwise::report {

/// The address of a rule's source: a plain URL as it stands, a place in a repository on GitHub.
std::string uri_of(const lint::Reference& reference);

/// A short name for it: "Megatron-Bridge@067f987d comm_overlap.py:479", or the URL without its
/// scheme.
std::string name_of(const lint::Reference& reference);

/// The whole of it on one line: "NVIDIA-NeMo/Megatron-Bridge@067f987d src/…/comm_overlap.py:479",
/// or the URL.
std::string reference_line(const lint::Reference& reference);

}  // namespace epwise::report
