#pragma once

#include <map>
#include <set>
#include <string>

#include "world/files.h"

namespace epwise::cli {

/// Inputs that did not change and that read what did: launch scripts that start a recipe, recipes
/// over a base, and everything below a configuration that changed or that names a baseline or base
/// which did. Told by their text, which has to name the file; a name that a script puts together
/// is not seen.
///
///   Dependants dependants(files, {"/repo/base.yaml"});
///   dependants.hold("recipes/over_base.yaml");   // true: it says `# epwise: --base ../base.yaml`
class Dependants {
 public:
  /// `changed`: absolute places, those that are gone among them.
  Dependants(const world::Files& files, std::set<std::string> changed);

  bool hold(const std::string& path);

 private:
  bool names_a_change(const std::string& path) const;
  bool configuration_changed(const std::string& folder);

  const world::Files& files_;
  std::set<std::string> changed_;
  std::set<std::string> names_;          // last parts of those that an input can read
  std::map<std::string, bool> folders_;  // whether the configuration there did
};

}  // namespace epwise::cli
