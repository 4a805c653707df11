#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/options/arguments.h"

namespace epwise::session {

/// Target settings from one source (flags, a header comment, an entry of `targets`, the top level
/// of a configuration). Not validated yet.
struct TargetSettings {
  std::optional<Setting> hw;
  std::optional<Setting> gpus;
  std::optional<Setting> framework;
  std::vector<Setting> stack;        // "te=2.14.0", "nemo-25.09", "auto"
  std::vector<Setting> environment;  // "K=V"; "K" unsets
  std::optional<Setting> purpose;
  std::vector<Setting> harness;          // "K=V"
  std::vector<Setting> allowed_targets;  // "acme.": prefixes that the program registers
  std::vector<Setting> inputs;           // "host=40us": known facts about the run, for predictions
  std::optional<Setting> base;           // a file, relative to the working directory
  std::optional<Setting> model_config;   // config.json of a trainer's model, likewise
  bool from_configuration = false;       // of a file of settings, for many recipes

  bool operator==(const TargetSettings&) const = default;
};

/// The same for settings that determine which rules run and how they affect the exit code.
struct RunSettings {
  /// A rule that extend_select adds to the selected ones, or extend_ignore takes from them.
  struct Extension {
    Setting rule;
    bool takes = true;

    bool operator==(const Extension&) const = default;
  };

  std::vector<Setting> select;
  std::vector<Setting> ignore;
  std::vector<Extension> extensions;  // those of weaker sources first
  std::optional<Setting> fail_on;
  std::optional<Setting> strict;  // "true" or "false"
  std::optional<Setting> rules;   // a directory, relative to the working directory

  bool operator==(const RunSettings&) const = default;
};

/// "a,b" from one source → two settings. Empty parts are dropped.
std::vector<Setting> split_list(const Setting& list);

}  // namespace epwise::session
