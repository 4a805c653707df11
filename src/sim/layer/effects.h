#pragma once

namespace epwise::sim {

/// Parts of a step that can be left out, to see what each is worth. All there: the step itself.
struct Effects {
  bool dispatch = true;  // exchange of tokens, and of their gradients back
  bool combine = true;
  bool contention = true;     // streams that slow each other down under overlap
  bool host_launches = true;  // time that the host takes to launch
  bool host_stalls = true;    // waits for sizes that only the GPU knows
  bool imbalance = true;      // the hottest rank has more tokens than the mean
  bool bubble = true;         // fill and drain, uneven stages, transfers
  bool data_parallel = true;  // exposed gradient and parameter traffic
  bool optimizer = true;      // and everything else that comes once a step
};

}  // namespace epwise::sim
