#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/workload.h"

namespace epwise::sim {

/// What the user knows of a run that neither recipe nor profile says, as far as the step model
/// takes it besides the workload.
struct StatedInputs {
  double host_operation = 0;    // s of one framework operation; 0: by the kind of CPU
  double imbalance = 0;         // tokens of the hottest rank over the mean; 0: by the routing
  bool attention_path = false;  // said, not assumed
  bool tensor_overlap = false;  // said, not assumed
};

/// Where a stated input comes from: a person, or a hardware profile and its source.
struct InputOrigin {
  model::InputStatus status = model::InputStatus::written;
  std::string why;
};

/// An input that may be stated: its name, what it takes, what it means.
struct InputKind {
  std::string_view name;    // "host"
  std::string_view values;  // "a time: 40us"
  std::string_view meaning;
};

/// All of them, in the order of the help.
const std::vector<InputKind>& input_kinds();

/// Takes `name=value` over into the workload and the statements; the workload's list of inputs then
/// says so. Returns what is wrong with it, or nothing:
///   state("host=40us", …) → "";  state("cpu=arm", …) → "cpu takes x86 or grace, not `arm`"
std::string state(std::string_view text,
                  model::Workload& job,
                  StatedInputs& stated,
                  const InputOrigin& origin = {});

}  // namespace epwise::sim
