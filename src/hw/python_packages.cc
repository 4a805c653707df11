#include "hw/python_packages.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hw/distributions.h"
#include "hw/file_text.h"
#include "hw/megatron_checkouts.h"

namespace epwise::hw {

namespace {

/// A component and the distributions that may bring it, the most telling first.
struct Wanted {
  std::string_view component;
  std::array<std::string_view, 4> names;
  std::string_view module;  // its folder, for installs that left no metadata
};

constexpr std::array<Wanted, 4> kWanted = {{
    {"te",
     {"transformer-engine",
      "transformer-engine-torch",
      "transformer-engine-cu13",
      "transformer-engine-cu12"},
     "transformer_engine"},
    {"torch", {"torch"}, "torch"},
    {"deepep", {"deep-ep"}, "deep_ep"},
    {"nccl", {"nvidia-nccl", "nvidia-nccl-cu13", "nvidia-nccl-cu12", "nvidia-nccl-cu11"}, ""},
}};
constexpr std::array<std::string_view, 3> kCudaRuntime = {
    "nvidia-cuda-runtime", "nvidia-cuda-runtime-cu13", "nvidia-cuda-runtime-cu12"};

class Look {
 public:
  Look(const world::Files& files, const PythonEnvironment& python)
      : files_(files),
        python_(python),
        distributions_(find_distributions(files, python.folders)) {}

  PythonPackages run() {
    for (const Wanted& wanted : kWanted) {
      from_metadata(wanted.component, wanted.names) || from_module(wanted);
    }
    from_torch();
    from_hybrid();
    for (Component& component : find_megatron(files_, python_.folders, distributions_)) {
      found_.components.push_back(std::move(component));
    }
    return std::move(found_);
  }

 private:
  void add(std::string_view component, std::string version, std::string where) {
    found_.components.push_back({std::string(component), std::move(version), std::move(where)});
  }

  /// Reports two versions of one distribution in one folder: an update that went wrong. Python
  /// imports the newer or the older, nobody knows.
  bool clash(std::string_view component, const Distribution& first) {
    for (const Distribution& other : distributions_) {
      if (other.name == first.name && other.folder == first.folder &&
          other.version != first.version) {
        found_.problems.push_back(
            {std::string(component),
             fmt::format("two versions of {} stand in {}: {} and {}",
                         first.name,
                         first.folder,
                         first.version,
                         other.version),
             fmt::format("reinstall it, or --stack {}={}", component, other.version)});
        return true;
      }
    }
    return false;
  }

  bool from_metadata(std::string_view component, std::span<const std::string_view> names) {
    for (const std::string& folder : python_.folders) {
      for (const std::string_view name : names) {
        const Distribution* found = find_distribution(distributions_, folder, name);
        if (found == nullptr) {
          continue;
        }
        const bool known = !found->version.empty() && !clash(component, *found);
        add(component, known ? found->version : "installed", found->where);
        return true;
      }
    }
    return false;
  }

  bool from_module(const Wanted& wanted) {
    if (wanted.module.empty()) {
      return false;
    }
    for (const std::string& folder : python_.folders) {
      const std::string module = fmt::format("{}/{}", folder, wanted.module);
      if (files_.is_file(module + "/__init__.py")) {
        add(wanted.component, "installed", module);
        return true;
      }
    }
    return false;
  }

  Component* component(std::string_view name) {
    const auto found = std::find_if(found_.components.begin(),
                                    found_.components.end(),
                                    [&](const Component& each) { return each.name == name; });
    return found == found_.components.end() ? nullptr : &*found;
  }

  /// torch/version.py is what Python code sees; it also names the CUDA that torch was built with,
  /// which is what Transformer Engine asks for.
  void from_torch() {
    for (const std::string& folder : python_.folders) {
      const std::string path = folder + "/torch/version.py";
      const auto text = file_head(files_, path);
      if (!text) {
        continue;
      }
      for (const std::string_view line : lines_of(*text)) {
        const std::string value(quoted_after(line, "="));
        if (line.starts_with("__version__") && !value.empty()) {
          settle_torch(value, path);
        } else if (line.starts_with("cuda") && !value.empty()) {
          add("cuda", value, path);
        }
      }
      break;
    }
    if (component("cuda") == nullptr) {
      from_metadata("cuda", kCudaRuntime);
    }
  }

  void settle_torch(const std::string& version, const std::string& path) {
    Component* torch = component("torch");
    if (torch == nullptr) {
      add("torch", version, path);
    } else if (torch->version == "installed") {
      *torch = {"torch", version, path};
      std::erase_if(found_.problems, [](const Missing& each) { return each.name == "torch"; });
    }
  }

  void from_hybrid() {
    for (const std::string& folder : python_.folders) {
      const std::string path = folder + "/deep_ep/hybrid_ep_buffer.py";
      if (files_.is_file(path)) {
        add("hybridep", "installed", path);
        return;
      }
    }
  }

  const world::Files& files_;
  const PythonEnvironment& python_;
  std::vector<Distribution> distributions_;
  PythonPackages found_;
};

}  // namespace

PythonPackages find_packages(const world::Files& files, const PythonEnvironment& python) {
  return Look(files, python).run();
}

}  // namespace epwise::hw
