#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace epwise::cli {

/// What one source (flags, a header comment, an entry of `targets`, the top of a configuration
/// file) says about the target. Nothing is judged yet.
struct TargetSettings {
  std::optional<Setting> hw;
  std::optional<Setting> gpus;
  std::optional<Setting> framework;
  std::vector<Setting> stack;        // "te=2.14.0", "nemo-25.09", "auto"
  std::vector<Setting> environment;  // "K=V"; "K" unsets
  std::optional<Setting> purpose;
  std::vector<Setting> harness;  // "K=V"
  std::vector<Setting> inputs;   // "host=40us": what is known of the run, for predictions
  std::optional<Setting> base;   // a file, as it is reached from the working directory

  bool operator==(const TargetSettings&) const = default;
};

/// The same for what decides which rules run and what they do to the exit code.
struct RunSettings {
  std::vector<Setting> select;
  std::vector<Setting> ignore;
  std::optional<Setting> fail_on;
  std::optional<Setting> strict;  // "true" or "false"
  std::optional<Setting> rules;   // a folder, as it is reached from the working directory

  bool operator==(const RunSettings&) const = default;
};

/// "a,b" under one source → two settings. Empty parts are left out.
std::vector<Setting> split_list(const Setting& list);

}  // namespace epwise::cli
