#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units/version.h"

namespace epwise::recipe {

/// The software versions of the target, each with its source.
///
/// Components: bridge mlm mcore te torch cuda cudnn nccl deepep hybridep hybridep_multinode
/// (HybridEP built for several nodes) nvshmem triton te_nccl_ep (Transformer Engine built with
/// NCCL-EP) deep_gemm flash_attn apex python driver ngc (the container's release, "25.09") nemo;
/// frameworks around Megatron: verl nemo_rl slime swift roll, and what they use: mbridge transformers
/// vllm sglang ray. The version "installed" means: present, version unknown. "none" means: not
/// installed.
class Stack {
 public:
  struct Component {
    std::optional<units::Version> version;  // nullopt: installed, version unknown
    bool absent = false;                    // known not to be installed
    bool follows = false;                   // from another component, which says it
    std::string source;  // "--stack", ".epwise.yaml:3", "container nemo-25.09", "this machine"
  };

  /// The names of all components, in alphabetical order.
  static std::span<const std::string_view> known();

  /// Later calls win; what follows from `mcore` changes with it. Throws os::UsageError for an
  /// unknown component or a text that is no version.
  void set(std::string_view component, std::string_view version, std::string source);

  /// A version that follows from another component's: Megatron-LM's from its Megatron-Core's.
  void follow(std::string_view component, std::string_view version, std::string source);

  const Component* find(std::string_view component) const;

  const std::map<std::string, Component, std::less<>>& components() const { return components_; }

 private:
  std::map<std::string, Component, std::less<>> components_;
};

}  // namespace epwise::recipe
