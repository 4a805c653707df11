#include "gpu/cuda/agreement.h"

#include <optional>
#include <string>
#include <vector>

#include "gpu/cuda/driver.h"

namespace epwise::cuda {

void in_step(calibrate::Ranks& ranks, const std::function<void()>& step) {
  std::optional<DeviceError> problem;
  try {
    step();
  } catch (const DeviceError& error) {
    problem = error;
  }
  const std::vector<std::string> all = ranks.all_gather(problem ? problem->what() : "");
  if (problem) {
    throw DeviceError(*problem);
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].empty()) {
      throw DeviceError("rank " + std::to_string(rank) + ": " + all[rank], false);
    }
  }
}

}  // namespace epwise::cuda
