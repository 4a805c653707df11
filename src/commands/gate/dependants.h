#pragma once

#include <map>
#include <set>
#include <string>

#include "base/os/files.h"

namespace epwise::cli {

/// Unchanged inputs that depend on changed ones: launch scripts that start a recipe, recipes over a
/// base, and everything below a configuration that changed or that refers to a changed baseline or
/// base. Detected by text, which must contain the file name; names composed by a script are not
/// found.
///
///   Dependants dependants(files, {"/repo/base.yaml"});
///   dependants.hold("recipes/over_base.yaml");   // true: it contains `# epwise: --base ../base.yaml`
class Dependants {
 public:
  /// `changed`: absolute paths, including deleted files.
  Dependants(const os::Files& files, std::set<std::string> changed);

  bool hold(const std::string& path);

 private:
  bool names_a_change(const std::string& path) const;
  bool configuration_changed(const std::string& folder);

  const os::Files& files_;
  std::set<std::string> changed_;
  std::set<std::string> names_;          // file names of those that an input can read
  std::map<std::string, bool> folders_;  // whether the configuration there changed
};

}  // namespace epwise::cli
