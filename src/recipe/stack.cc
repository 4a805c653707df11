#include "recipe/stack.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/files.h"
#include "base/text/spelling.h"

namespace epwise::recipe {
namespace {

const std::vector<std::string_view> kComponents = {"bridge",
                                                   "cuda",
                                                   "cudnn",
                                                   "deep_gemm",
                                                   "deepep",
                                                   "driver",
                                                   "hybridep",
                                                   "hybridep_multinode",
                                                   "mcore",
                                                   "mlm",
                                                   "nccl",
                                                   "ngc",
                                                   "nvshmem",
                                                   "python",
                                                   "te",
                                                   "te_nccl_ep",
                                                   "torch",
                                                   "triton"};

}  // namespace

void Stack::set(std::string_view component, std::string_view version, std::string source) {
  if (std::find(kComponents.begin(), kComponents.end(), component) == kComponents.end()) {
    throw os::UsageError(fmt::format("unknown component `{}` in the stack{}; known components: {}",
                                     component,
                                     text::did_you_mean(component, kComponents),
                                     fmt::join(kComponents, ", ")));
  }
  Component entry;
  entry.source = std::move(source);
  if (version == "none") {
    entry.absent = true;
  } else if (version != "installed") {
    entry.version = units::Version::parse(version);
    if (!entry.version) {
      throw os::UsageError(
          fmt::format("`{}` is not a version of {}; write a number such as 2.14.0, `head`, "
                      "`installed` or `none`",
                      version,
                      component));
    }
  }
  components_[std::string(component)] = std::move(entry);
}

const Stack::Component* Stack::find(std::string_view component) const {
  const auto found = components_.find(component);
  return found == components_.end() ? nullptr : &found->second;
}

}  // namespace epwise::recipe
