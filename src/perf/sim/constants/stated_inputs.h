#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hw/profile.h"
#include "perf/sim/constants/constants.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// The user's statements about a run that neither recipe nor profile contain, as far as the step
/// model uses them in addition to the workload.
struct StatedInputs {
  double host_operation = 0;    // s per framework operation; 0: by the kind of CPU
  bool host_measured = false;   // … and not assumed
  bool unbound = false;         // processes run on any core
  double imbalance = 0;         // tokens of the most loaded rank over the mean; 0: by the routing
  bool attention_path = false;  // stated, not assumed
  bool tensor_overlap = false;  // stated, not assumed
  double level = 1;             // measured over predicted steps of runs like this one (likeness.h)
  double level_known = 0;       // share of the error's variance that they explain
};

/// The source of a stated input: a person, or a hardware profile and its source.
struct InputOrigin {
  workload::InputStatus status = workload::InputStatus::written;
  std::string why;
};

/// An input that can be stated: its name, its values, its meaning.
struct InputKind {
  std::string_view name;    // "host"
  std::string_view values;  // "a time: 40us"
  std::string_view meaning;
};

/// All of them, in the order of the help.
const std::vector<InputKind>& input_kinds();

/// Applies `name=value` to the workload and the statements; the workload's list of inputs records
/// it. A value that begins with `assumed ` is a different assumption, not knowledge: no interval
/// shrinks. Returns an error message, or an empty text:
///   state("host=40us", …) → "";  state("cpu=arm", …) → "cpu takes x86 or grace, not `arm`"
///   state("host=assumed 40us", …) → "", and the input is still an assumed one
std::string state(std::string_view text,
                  workload::Workload& job,
                  StatedInputs& stated,
                  const InputOrigin& origin = {});

/// Applies the hardware profile's own value: the host time of one framework operation.
void state_profile(const hw::Profile& profile, workload::Workload& job, StatedInputs& stated);

/// Adds inputs that the step model takes from its constants, because they were not stated, to the
/// workload's list of inputs: the host time of an operation by the kind of host and, with natural
/// routing, the load of the most loaded rank. Call after all statements.
///   host  68.8 us an operation  assumed  the mean of published runs …
void note_assumptions(const Constants& constants,
                      const StatedInputs& stated,
                      workload::Workload& job);

}  // namespace epwise::sim
