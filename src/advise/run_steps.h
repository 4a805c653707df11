#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "advise/run_profile.h"

namespace epwise::advise {

/// Where the steps of a recorded run begin.
struct RunSteps {
  std::vector<std::int64_t> bounds;  // starts, the last one being the end of the last step; ns
  std::string found_by;              // "NVTX ranges `iteration`", "repeating kernels"
};

/// Of NVTX ranges the longest of one name, else what repeats: kernels whose bursts come at one
/// regular distance. No bounds where nothing tells.
RunSteps steps_of(const RunProfile& profile);

/// Whether the text of an NVTX range is that of a step: "iteration 12", "train_step",
/// "ProfilerStep#7".
bool names_step(std::string_view text);

}  // namespace epwise::advise
