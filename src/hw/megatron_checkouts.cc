#include "hw/megatron_checkouts.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "hw/file_text.h"

namespace epwise::hw {

namespace {

struct Library {
  std::string_view component;
  std::string_view distribution;
  std::string_view information;  // below a folder of the import path
};

constexpr Library kCore = {"mcore", "megatron-core", "/megatron/core/package_info.py"};
constexpr Library kBridge = {"bridge", "megatron-bridge", "/megatron/bridge/package_info.py"};

constexpr std::array<std::string_view, 6> kCheckouts = {
    "./src",
    "./3rdparty/Megatron-LM",
    "/opt/Megatron-Bridge/src",
    "/opt/Megatron-Bridge/3rdparty/Megatron-LM",
    "/opt/Megatron-LM",
    "/opt/megatron-lm",
};

/// "0.16.0rc0" from the four assignments of a package_info.py; "installed" when they are not there.
std::string version_in(std::string_view text) {
  std::array<std::string, 4> parts;  // major, minor, patch, pre-release
  constexpr std::array<std::string_view, 4> kNames = {"MAJOR", "MINOR", "PATCH", "PRE_RELEASE"};
  for (const std::string_view line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    const std::string_view name = trimmed(line.substr(0, equals));
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (name == kNames[i] && parts[i].empty()) {
        const std::string_view value = trimmed(line.substr(equals + 1));
        parts[i] = i < 3 ? value.substr(0, value.find_first_not_of("0123456789"))
                         : quoted_after(line, "=");
      }
    }
  }
  if (parts[0].empty() || parts[1].empty() || parts[2].empty()) {
    return "installed";
  }
  return parts[0] + "." + parts[1] + "." + parts[2] + parts[3];
}

struct Found {
  Component component;
  std::string root;  // the folder of the import path; empty when only metadata told
};

class Look {
 public:
  Look(const world::Files& files,
       const std::vector<std::string>& folders,
       const std::vector<Distribution>& distributions)
      : files_(files),
        folders_(folders),
        distributions_(distributions) {}

  std::optional<Found> find(const Library& library) const {
    if (auto found = in_source(library, ".")) {
      return found;
    }
    for (const std::string& folder : folders_) {
      if (auto found = in_folder(library, folder)) {
        return found;
      }
    }
    for (const std::string_view checkout : kCheckouts) {
      if (auto found = in_source(library, std::string(checkout))) {
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<Found> in_source(const Library& library, const std::string& root) const {
    const std::string path = root + std::string(library.information);
    if (!files_.is_file(path)) {
      return std::nullopt;
    }
    const std::string version = version_in(file_head(files_, path).value_or(""));
    return Found{{std::string(library.component), version, path}, root};
  }

  std::optional<Found> in_folder(const Library& library, const std::string& folder) const {
    if (auto found = in_source(library, folder)) {
      return found;
    }
    for (const std::string& addition : path_additions(files_, folder)) {
      if (auto found = in_source(library, addition)) {
        return found;
      }
    }
    const Distribution* metadata = find_distribution(distributions_, folder, library.distribution);
    if (metadata == nullptr) {
      return std::nullopt;
    }
    if (!metadata->checkout.empty()) {
      for (const std::string& root : {metadata->checkout, metadata->checkout + "/src"}) {
        if (auto found = in_source(library, root)) {
          return found;
        }
      }
    }
    const std::string version = metadata->version.empty() ? "installed" : metadata->version;
    return Found{{std::string(library.component), version, metadata->where}, ""};
  }

  const world::Files& files_;
  const std::vector<std::string>& folders_;
  const std::vector<Distribution>& distributions_;
};

}  // namespace

std::vector<Component> find_megatron(const world::Files& files,
                                     const std::vector<std::string>& folders,
                                     const std::vector<Distribution>& distributions) {
  const Look look(files, folders, distributions);
  std::vector<Component> components;
  if (auto core = look.find(kCore)) {
    const std::string training = core->root + "/megatron/training/arguments.py";
    if (!core->root.empty() && files.is_file(training)) {
      components.push_back({"mlm", core->component.version, training});
    }
    components.push_back(std::move(core->component));
  }
  if (auto bridge = look.find(kBridge)) {
    components.push_back(std::move(bridge->component));
  }
  return components;
}

}  // namespace epwise::hw
