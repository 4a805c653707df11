#include "recipe/stack.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/files.h"
#include "base/text/spelling.h"

namespace epwise::recipe {
namespace {

constexpr std::array kComponents = {
    std::string_view("apex"),      std::string_view("bridge"),
    std::string_view("cuda"),      std::string_view("cudnn"),
    std::string_view("deep_gemm"), std::string_view("deepep"),
    std::string_view("driver"),    std::string_view("flash_attn"),
    std::string_view("hybridep"),  std::string_view("hybridep_multinode"),
    std::string_view("mbridge"),   std::string_view("mcore"),
    std::string_view("mlm"),       std::string_view("nccl"),
    std::string_view("nemo"),      std::string_view("nemo_rl"),
    std::string_view("ngc"),       std::string_view("nvshmem"),
    std::string_view("python"),    std::string_view("ray"),
    std::string_view("roll"),      std::string_view("sglang"),
    std::string_view("slime"),     std::string_view("swift"),
    std::string_view("te"),        std::string_view("te_nccl_ep"),
    std::string_view("torch"),     std::string_view("transformers"),
    std::string_view("triton"),    std::string_view("verl"),
    std::string_view("vllm"),
};

}  // namespace

std::span<const std::string_view> Stack::known() {
  return kComponents;
}

void Stack::set(std::string_view component, std::string_view version, std::string source) {
  if (std::find(kComponents.begin(), kComponents.end(), component) == kComponents.end()) {
    throw os::UsageError(
        fmt::format("unknown component `{}` in the stack{}; known components: {}",
                    component,
                    text::did_you_mean(component, {kComponents.begin(), kComponents.end()}),
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
  const auto follower = components_.find("mlm");
  if (component == "mcore" && follower != components_.end() && follower->second.follows) {
    follower->second.version = entry.version;
    follower->second.absent = entry.absent;
  }
  components_[std::string(component)] = std::move(entry);
}

void Stack::follow(std::string_view component, std::string_view version, std::string source) {
  set(component, version, std::move(source));
  components_.find(component)->second.follows = true;
}

const Stack::Component* Stack::find(std::string_view component) const {
  const auto found = components_.find(component);
  return found == components_.end() ? nullptr : &found->second;
}

}  // namespace epwise::recipe
