#include "hw/python_environment.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/files.h"
#include "base/text/ascii.h"
#include "hw/component.h"
#include "hw/file_text.h"

namespace epwise::hw {

/// One relevant installed Python distribution, from its metadata directory.
struct Distribution {
  std::string name;      // normalised: "transformer-engine"
  std::string version;   // empty if neither the metadata nor the directory name gives it
  std::string folder;    // its directory: "/usr/lib/python3/dist-packages"
  std::string where;     // the metadata: ".../torch-2.9.1+cu128.dist-info"
  std::string checkout;  // an editable install's source directory; otherwise empty
};

/// Metadata of torch, transformer_engine*, megatron_core, megatron_bridge, deep_ep, nemo_fw,
/// nvidia_nccl* and nvidia_cuda_runtime* in the given directories, in that order: *.dist-info,
/// *.egg-info and *.egg. A METADATA that cannot be read leaves the version in the directory name.
std::vector<Distribution> find_distributions(const os::Files& files,
                                             const std::vector<std::string>& folders);

/// Null pointer if the directory has none with that name.
const Distribution* find_distribution(const std::vector<Distribution>& distributions,
                                      std::string_view folder,
                                      std::string_view name);

/// Directories that the *.pth files of a package directory add to the import path.
std::vector<std::string> path_additions(const os::Files& files, const std::string& folder);

/// mcore, bridge and mlm on this machine. Searched in this order:
///   1. megatron/core/package_info.py in the working directory, which a launch from a checkout of
///      Megatron-LM imports first; then on the import path and what *.pth files add to it;
///   2. the source of an editable install; 3. the metadata of an ordinary one;
/// 4. checkouts under the working directory and where NeMo containers keep theirs. mlm is reported
///    if megatron/training is next to the core that was found.
std::vector<Component> find_megatron(const os::Files& files,
                                     const std::vector<std::string>& folders,
                                     const std::vector<Distribution>& distributions);

namespace {

/// "3.12" of "python3.12"; empty for "python3" and other names.
std::string_view version_in_name(std::string_view name) {
  constexpr std::string_view kPrefix = "python";
  if (!name.starts_with(kPrefix) || name.find('.') == std::string_view::npos) {
    return {};
  }
  name.remove_prefix(kPrefix.size());
  const bool digits = std::all_of(
      name.begin(), name.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return digits ? name : std::string_view{};
}

/// "3.12" of "3.12.3".
std::string_view minor_of(std::string_view version) {
  const std::size_t first = version.find('.');
  return version.substr(0, first == std::string_view::npos ? first : version.find('.', first + 1));
}

/// The contents of pyvenv.cfg: "home = /usr/bin", "include-system-site-packages = true".
struct Configuration {
  std::string home;
  std::string version;
  bool system = false;
};

Configuration read_configuration(std::string_view text) {
  Configuration result;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    const std::string_view key = text::trimmed(line.substr(0, equals), text::kWhitespace);
    const std::string_view value = text::trimmed(line.substr(equals + 1), text::kWhitespace);
    if (key == "home") {
      result.home = value;
    } else if (key == "version" || key == "version_info") {
      result.version = value.substr(0, value.find_first_not_of("0123456789."));
    } else if (key == "include-system-site-packages") {
      result.system = value == "true" || value == "True";
    }
  }
  while (result.version.ends_with('.')) {
    result.version.pop_back();
  }
  return result;
}

class Search {
 public:
  Search(const os::Files& files, const os::Variables& variables)
      : files_(files),
        variables_(variables) {}

  PythonEnvironment run() {
    for (const std::string& path : split_paths(variables_.get("PYTHONPATH").value_or(""))) {
      add(path);
    }
    if (!from_variable("VIRTUAL_ENV") && !from_variable("CONDA_PREFIX") && !from_path()) {
      found_.where = "no python3 on PATH; standard directories";
      add_virtual("/opt/venv");
      add_prefix("/usr", "");
      add_prefix("/usr/local", "");
    }
    return std::move(found_);
  }

 private:
  void add(std::string folder) {
    while (folder.size() > 1 && folder.ends_with('/')) {
      folder.pop_back();
    }
    // lib64 is often a link to lib.
    const auto place = files_.is_directory(folder) ? files_.canonical(folder) : std::nullopt;
    if (place && std::find(places_.begin(), places_.end(), *place) == places_.end()) {
      places_.push_back(*place);
      found_.folders.push_back(std::move(folder));
    }
  }

  /// The package directories under one lib directory for one Python version, or for all if it is
  /// unknown. Debian calls the system's `dist-packages` and shares one among versions.
  void add_library(const std::string& library, std::string_view version) {
    for (const std::string& name : os::list_if_possible(files_, library)) {
      const std::string_view named = version_in_name(name);
      if (named.empty() ? name != "python3" : !version.empty() && named != version) {
        continue;
      }
      const std::string folder = std::string(library).append("/").append(name);
      add(folder + "/site-packages");
      add(folder + "/dist-packages");
    }
  }

  void add_prefix(const std::string& prefix, std::string_view version) {
    const std::string base = prefix == "/" ? "" : prefix;
    add_library(base + "/local/lib", version);
    add_library(base + "/lib", version);
  }

  void add_user(std::string_view version) {
    const auto home = variables_.get("HOME");
    if (home && !home->empty() && !variables_.get("PYTHONNOUSERSITE")) {
      add_library(*home + "/.local/lib", version);
    }
  }

  void note_version(std::string_view version) {
    if (found_.version.empty()) {
      found_.version = version;
    }
  }

  /// A virtual environment and, if it includes system packages, what is below it. False: it is not
  /// one.
  bool add_virtual(const std::string& root) {
    const auto text = file_head(files_, root + "/pyvenv.cfg");
    if (!text) {
      return false;
    }
    const Configuration configuration = read_configuration(*text);
    note_version(configuration.version);
    add_library(root + "/lib", minor_of(configuration.version));
    add_library(root + "/lib64", minor_of(configuration.version));
    if (configuration.system && !configuration.home.empty()) {
      add_user(minor_of(configuration.version));
      add_interpreter(configuration.home, minor_of(configuration.version));
    }
    return true;
  }

  /// The Python in a directory of programs: its real name gives its version and its prefix.
  bool add_interpreter(const std::string& programs, std::string_view wanted) {
    for (const std::string_view name : {"python3", "python"}) {
      const std::string path = programs + "/" + std::string(name);
      const auto real = files_.is_file(path) ? files_.canonical(path) : std::nullopt;
      if (!real) {
        continue;
      }
      std::string_view version =
          version_in_name(std::string_view(*real).substr(real->find_last_of('/') + 1));
      if (version.empty()) {
        version = wanted;
      }
      note_version(version);
      add_prefix(parent_of(parent_of(*real)), version);
      // A link such as /usr/local/bin/python3 may lead out of a prefix that also has packages.
      add_prefix(parent_of(programs), version);
      return true;
    }
    return false;
  }

  bool from_variable(const std::string& name) {
    const auto root = variables_.get(name);
    if (!root || root->empty() || !files_.is_directory(*root)) {
      return false;
    }
    if (!add_virtual(*root) && !add_interpreter(*root + "/bin", "")) {
      add_library(*root + "/lib", "");
    }
    found_.where = name + "=" + *root;
    return true;
  }

  bool from_path() {
    for (const std::string& programs : split_paths(variables_.get("PATH").value_or(""))) {
      const std::string path = programs + "/python3";
      if (!files_.is_file(path)) {
        continue;
      }
      const auto pyenv = behind_shim(programs);
      if (pyenv && pyenv->empty()) {
        continue;
      }
      found_.where = path;
      if (!add_virtual(parent_of(pyenv.value_or(programs)))) {
        add_system(pyenv.value_or(programs));
      }
      return true;
    }
    return false;
  }

  /// The system's Python in a directory of programs, the user's own packages first.
  void add_system(const std::string& programs) {
    const auto real = files_.canonical(programs + "/python3");
    const std::string_view name =
        real ? std::string_view(*real).substr(real->find_last_of('/') + 1) : std::string_view{};
    add_user(version_in_name(name));
    add_interpreter(programs, "");
  }

  /// pyenv's programs are scripts that select a version: the directory of the selected one; empty
  /// if it selects what follows on PATH; nullopt if the directory is not pyenv's.
  std::optional<std::string> behind_shim(const std::string& programs) const {
    const std::string root = parent_of(programs);
    if (!programs.ends_with("/shims") || !files_.is_directory(root + "/versions")) {
      return std::nullopt;
    }
    std::string chosen = variables_.get("PYENV_VERSION").value_or("");
    for (const std::string& file : {std::string(".python-version"), root + "/version"}) {
      if (chosen.empty()) {
        const std::string text = file_head(files_, file).value_or("");
        chosen = text::trimmed(text.substr(0, text.find('\n')), text::kWhitespace);
      }
    }
    std::string folder = root + "/versions/" + chosen + "/bin";
    const bool there = !chosen.empty() && files_.is_file(folder + "/python3");
    return there ? std::move(folder) : std::string();
  }

  const os::Files& files_;
  const os::Variables& variables_;
  PythonEnvironment found_;
  std::vector<std::string> places_;  // of found_.directories, without symbolic links
};

}  // namespace

PythonEnvironment find_python(const os::Files& files, const os::Variables& variables) {
  return Search(files, variables).run();
}

namespace {

constexpr std::array<std::string_view, 8> kPrefixes = {
    "torch",
    "transformer-engine",
    "megatron-core",
    "megatron-bridge",
    "deep-ep",
    "nemo-fw",
    "nvidia-nccl",
    "nvidia-cuda-runtime",
};

/// Normalisation of package indexes: lower case, runs of `-`, `_` and `.` as one dash.
std::string normalised(std::string_view name) {
  std::string result;
  for (const char letter : name) {
    const bool separator = letter == '-' || letter == '_' || letter == '.';
    if (!separator) {
      result += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    } else if (!result.ends_with('-')) {
      result += '-';
    }
  }
  return result;
}

bool matters(std::string_view name) {
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
    // "torch" must not match torchvision; the others have variants: -cu12, -torch.
    return name == prefix || (prefix != "torch" && name.starts_with(prefix) &&
                              name.substr(prefix.size()).starts_with('-'));
  });
}

/// The parts of "torch-2.9.1+cu128.dist-info" and "deep_ep-1.2.1-py3.12-linux-x86_64.egg".
struct Label {
  std::string name;
  std::string version;
  std::string_view metadata;  // the file inside with the header
};

std::optional<Label> read_label(std::string_view entry) {
  struct Form {
    std::string_view suffix;
    std::string_view metadata;
  };

  constexpr std::array<Form, 3> kForms = {{
      {".dist-info", "/METADATA"},
      {".egg-info", "/PKG-INFO"},
      {".egg", "/EGG-INFO/PKG-INFO"},
  }};
  for (const Form& form : kForms) {
    if (!entry.ends_with(form.suffix)) {
      continue;
    }
    const std::string_view stem = entry.substr(0, entry.size() - form.suffix.size());
    const std::size_t dash = stem.find('-');
    Label label{normalised(stem.substr(0, dash)), "", form.metadata};
    if (dash != std::string_view::npos) {
      const std::string_view rest = stem.substr(dash + 1);
      label.version = rest.substr(0, rest.find("-py"));
    }
    return label;
  }
  return std::nullopt;
}

/// "Version: 2.9.1" of a header that ends at the first empty line.
std::string metadata_version(std::string_view metadata) {
  constexpr std::string_view kKey = "Version:";
  for (const std::string_view line : lines_of(metadata)) {
    if (line.empty()) {
      break;
    }
    if (line.starts_with(kKey)) {
      return std::string(text::trimmed(line.substr(kKey.size()), text::kWhitespace));
    }
  }
  return {};
}

/// The source directory in an editable install's direct_url.json.
std::string checkout_of(const os::Files& files, const std::string& where) {
  const auto text = file_head(files, where + "/direct_url.json");
  if (!text || text->find("\"editable\"") == std::string::npos) {
    return {};
  }
  constexpr std::string_view kScheme = "file://";
  const std::string_view url = quoted_after(*text, "\"url\":");
  return url.starts_with(kScheme) ? std::string(url.substr(kScheme.size())) : std::string{};
}

}  // namespace

std::vector<Distribution> find_distributions(const os::Files& files,
                                             const std::vector<std::string>& folders) {
  std::vector<Distribution> all;
  for (const std::string& folder : folders) {
    for (const std::string& entry : os::list_if_possible(files, folder)) {
      const auto label = read_label(entry);
      if (!label || !matters(label->name)) {
        continue;
      }
      Distribution found;
      found.name = label->name;
      found.folder = folder;
      found.where = folder + "/" + entry;
      // An .egg-info may be a file by itself.
      const std::string metadata =
          files.is_file(found.where) ? found.where : found.where + std::string(label->metadata);
      found.version = metadata_version(file_head(files, metadata).value_or(""));
      if (found.version.empty()) {
        found.version = label->version;
      }
      found.checkout = checkout_of(files, found.where);
      all.push_back(std::move(found));
    }
  }
  return all;
}

const Distribution* find_distribution(const std::vector<Distribution>& distributions,
                                      std::string_view folder,
                                      std::string_view name) {
  const auto found =
      std::find_if(distributions.begin(), distributions.end(), [&](const Distribution& each) {
        return each.folder == folder && each.name == name;
      });
  return found == distributions.end() ? nullptr : &*found;
}

std::vector<std::string> path_additions(const os::Files& files, const std::string& folder) {
  std::vector<std::string> additions;
  for (const std::string& entry : os::list_if_possible(files, folder)) {
    if (!entry.ends_with(".pth")) {
      continue;
    }
    const std::string text = file_head(files, folder + "/" + entry).value_or("");
    for (const std::string_view raw : lines_of(text)) {
      const std::string line(text::trimmed(raw, text::kWhitespace));
      if (line.empty() || line[0] == '#' || line.starts_with("import ") ||
          line.starts_with("import\t")) {
        continue;
      }
      std::string path = line[0] == '/' ? line : folder + "/" + line;
      if (files.is_directory(path)) {
        additions.push_back(std::move(path));
      }
    }
  }
  return additions;
}

namespace {

/// A component and the distributions that may provide it, most specific first.
struct Wanted {
  std::string_view component;
  std::array<std::string_view, 4> names;
  std::string_view module;  // its directory, for installs without metadata
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
  Look(const os::Files& files, const PythonEnvironment& python)
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

  /// Reports two versions of one distribution in one directory: a failed update. It is unknown
  /// which one Python imports.
  bool clash(std::string_view component, const Distribution& first) {
    for (const Distribution& other : distributions_) {
      if (other.name == first.name && other.folder == first.folder &&
          other.version != first.version) {
        found_.problems.push_back(
            {std::string(component),
             fmt::format("two versions of {} in {}: {} and {}",
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

  /// torch/version.py is what Python code sees; it also gives the CUDA version of torch's build,
  /// which Transformer Engine queries.
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

  const os::Files& files_;
  const PythonEnvironment& python_;
  std::vector<Distribution> distributions_;
  PythonPackages found_;
};

}  // namespace

PythonPackages find_packages(const os::Files& files, const PythonEnvironment& python) {
  return Look(files, python).run();
}

namespace {

struct MegatronLibrary {
  std::string_view component;
  std::string_view distribution;
  std::string_view information;  // below a directory of the import path
};

constexpr MegatronLibrary kCore = {"mcore", "megatron-core", "/megatron/core/package_info.py"};
constexpr MegatronLibrary kBridge = {
    "bridge", "megatron-bridge", "/megatron/bridge/package_info.py"};

constexpr std::array<std::string_view, 6> kCheckouts = {
    "./src",
    "./3rdparty/Megatron-LM",
    "/opt/Megatron-Bridge/src",
    "/opt/Megatron-Bridge/3rdparty/Megatron-LM",
    "/opt/Megatron-LM",
    "/opt/megatron-lm",
};

/// "0.16.0rc0" from the four assignments of a package_info.py; "installed" when they are not there.
std::string source_version(std::string_view text) {
  std::array<std::string, 4> parts;  // major, minor, patch, pre-release
  constexpr std::array<std::string_view, 4> kNames = {"MAJOR", "MINOR", "PATCH", "PRE_RELEASE"};
  for (const std::string_view line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    const std::string_view name = text::trimmed(line.substr(0, equals), text::kWhitespace);
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (name == kNames[i] && parts[i].empty()) {
        const std::string_view value = text::trimmed(line.substr(equals + 1), text::kWhitespace);
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
  std::string root;  // the directory of the import path; empty if only metadata was found
};

class CheckoutSearch {
 public:
  CheckoutSearch(const os::Files& files,
                 const std::vector<std::string>& folders,
                 const std::vector<Distribution>& distributions)
      : files_(files),
        folders_(folders),
        distributions_(distributions) {}

  std::optional<Found> find(const MegatronLibrary& library) const {
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
  std::optional<Found> in_source(const MegatronLibrary& library, const std::string& root) const {
    const std::string path = root + std::string(library.information);
    if (!files_.is_file(path)) {
      return std::nullopt;
    }
    const std::string version = source_version(file_head(files_, path).value_or(""));
    return Found{{std::string(library.component), version, path}, root};
  }

  std::optional<Found> in_folder(const MegatronLibrary& library, const std::string& folder) const {
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

  const os::Files& files_;
  const std::vector<std::string>& folders_;
  const std::vector<Distribution>& distributions_;
};

}  // namespace

std::vector<Component> find_megatron(const os::Files& files,
                                     const std::vector<std::string>& folders,
                                     const std::vector<Distribution>& distributions) {
  const CheckoutSearch look(files, folders, distributions);
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
