#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cli/settings/configuration.h"
#include "world/files.h"

namespace epwise::cli {

/// Finds the `.epwise.yaml` of each input: the nearest one between the input's folder and the root
/// of its repository, never beyond, and never two of them together. Each file is read once.
class ConfigurationSearch {
 public:
  /// `chosen`: the file that --config names for all inputs; "none" for no configuration at all;
  /// empty: search.
  ConfigurationSearch(const world::Files& files, std::string chosen, std::string_view tool_version);

  /// Throws world::UsageError naming every problem of the file with its line, a file that can't be
  /// read, and a `required_version` that this program does not satisfy.
  const Configuration& find(const std::string& path);

 private:
  const Configuration& read(const std::string& folder, const std::string& name);

  const world::Files& files_;
  std::string chosen_;
  std::string tool_version_;
  Configuration none_;
  std::map<std::string, std::unique_ptr<Configuration>> read_;  // by absolute path
  std::map<std::string, const Configuration*> found_;           // by folder of inputs as written
};

/// The entry of `targets` that speaks about an input: the one called `name`, or with an empty name
/// the first whose paths cover it; null pointer when none does. Throws world::UsageError when no
/// entry is called `name`.
const TargetEntry* find_entry(const world::Files& files,
                              const Configuration& configuration,
                              const std::string& path,
                              const std::string& name);

}  // namespace epwise::cli
