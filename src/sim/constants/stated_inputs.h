#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hw/profile.h"
#include "model/workload.h"
#include "sim/constants/constants.h"

namespace epwise::sim {

/// What the user knows of a run that neither recipe nor profile says, as far as the step model
/// takes it besides the workload.
struct StatedInputs {
  double host_operation = 0;    // s of one framework operation; 0: by the kind of CPU
  bool host_measured = false;   // … and not assumed
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
/// says so. A value that begins with `assumed ` is another assumption and no knowledge: no interval
/// shrinks. Returns what is wrong with it, or nothing:
///   state("host=40us", …) → "";  state("cpu=arm", …) → "cpu takes x86 or grace, not `arm`"
///   state("host=assumed 40us", …) → "", and the input is still an assumed one
std::string state(std::string_view text,
                  model::Workload& job,
                  StatedInputs& stated,
                  const InputOrigin& origin = {});

/// Takes what the hardware profile itself says of a run: the host time of one framework operation.
void state_profile(const hw::Profile& profile, model::Workload& job, StatedInputs& stated);

/// Adds what the step model takes from its constants because nobody stated it to the workload's
/// list of inputs: the host time of an operation by the kind of host, and where routing is natural
/// the load of the hottest rank. After everything was stated.
///   host  68.8 us an operation  assumed  the mean of published runs …
void note_assumptions(const Constants& constants, const StatedInputs& stated, model::Workload& job);

}  // namespace epwise::sim
