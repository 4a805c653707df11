#include "perf/workload/architecture.h"

#include <algorithm>

namespace epwise::workload {

int Architecture::expert_layers() const {
  return static_cast<int>(std::ranges::count(layers, FeedForward::experts, &Layer::feed_forward));
}

}  // namespace epwise::workload
