#pragma once

#include <string_view>

namespace epwise::shell {

/// Whether a job's scheduler or launcher sets this name, so that a default says little about it:
/// SLURM_NNODES, RANK, …
bool is_set_by_scheduler(std::string_view name);

}  // namespace epwise::shell
