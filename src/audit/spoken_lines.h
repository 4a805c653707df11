#pragma once

#include <string_view>
#include <vector>

#include "audit/crash_log.h"
#include "lint/knowledge.h"

namespace epwise::audit {

/// For logs in which no error can be told by its form: lines near the end that hold words of a
/// launch check, as errors that are mentioned. At most `most`, in their order.
std::vector<Crash> spoken_lines(std::string_view log,
                                const lint::Knowledge& knowledge,
                                std::size_t most = 3);

}  // namespace epwise::audit
