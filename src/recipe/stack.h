#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "units/version.h"

namespace epwise::recipe {

/// Versions of the software that the recipe will run on, each with where it was learnt.
///
/// Components: bridge mlm mcore te torch cuda cudnn nccl deepep hybridep hybridep_multinode (a
/// HybridEP built for several nodes) nvshmem triton te_nccl_ep (a Transformer Engine built with
/// NCCL-EP) python driver ngc (the container's release, "25.09"). "installed" as a version means:
/// there, version not known. "none" means: not installed.
class Stack {
 public:
  struct Component {
    std::optional<units::Version> version;  // nullopt: installed, version not known
    bool absent = false;                    // known not to be installed
    std::string source;  // "--stack", ".epwise.yaml:3", "container nemo-25.09", "this machine"
  };

  /// Later calls win. Throws world::UsageError for an unknown component or a text that is no
  /// version.
  void set(std::string_view component, std::string_view version, std::string source);

  const Component* find(std::string_view component) const;

  const std::map<std::string, Component, std::less<>>& components() const { return components_; }

 private:
  std::map<std::string, Component, std::less<>> components_;
};

}  // namespace epwise::recipe
