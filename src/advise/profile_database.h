#pragma once

#include <string>
#include <string_view>

#include "advise/run_profile.h"

namespace epwise::advise {

/// Whether the first bytes of a file are those of an SQLite database.
bool is_database(std::string_view first_bytes);

/// What `nsys export --type sqlite` wrote about one GPU: that of the first process and device, in
/// the order of their numbers. Reads the tables CUPTI_ACTIVITY_KIND_KERNEL and StringIds, and
/// NVTX_EVENTS, TARGET_INFO_GPU and CUPTI_ACTIVITY_KIND_GRAPH_TRACE if they exist; opens
/// nothing for writing. Throws os::MissingError: no database, damaged, not from Nsight Systems,
/// more kernels than a profile of a few steps has.
RunProfile read_profile_database(const std::string& path);

}  // namespace epwise::advise
