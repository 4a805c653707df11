#include "hw/python_environment.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/file_text.h"

namespace epwise::hw {

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

/// What pyvenv.cfg says: "home = /usr/bin", "include-system-site-packages = true".
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
    const std::string_view key = trimmed(line.substr(0, equals));
    const std::string_view value = trimmed(line.substr(equals + 1));
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
  Search(const world::Files& files, const world::Variables& variables)
      : files_(files),
        variables_(variables) {}

  PythonEnvironment run() {
    for (const std::string& path : split_paths(variables_.get("PYTHONPATH").value_or(""))) {
      add(path);
    }
    if (!from_variable("VIRTUAL_ENV") && !from_variable("CONDA_PREFIX") && !from_path()) {
      found_.where = "no python3 on PATH; the usual folders";
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

  /// The package folders under one lib folder for one Python version, or for all when it is not
  /// known. Debian calls the system's `dist-packages` and shares one among versions.
  void add_library(const std::string& library, std::string_view version) {
    for (const std::string& name : world::list_if_possible(files_, library)) {
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

  /// A virtual environment, and what lies under it when it lets the system in. False: it is none.
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

  /// The Python in a folder of programs: its real name tells its version and its prefix.
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
      // A link such as /usr/local/bin/python3 may lead out of a prefix that has packages too.
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

  /// The system's Python in a folder of programs, the user's own packages first.
  void add_system(const std::string& programs) {
    const auto real = files_.canonical(programs + "/python3");
    const std::string_view name =
        real ? std::string_view(*real).substr(real->find_last_of('/') + 1) : std::string_view{};
    add_user(version_in_name(name));
    add_interpreter(programs, "");
  }

  /// pyenv's programs are scripts that choose among its versions: the folder of the chosen one;
  /// empty when it chooses what follows on PATH; nullopt when the folder is not pyenv's.
  std::optional<std::string> behind_shim(const std::string& programs) const {
    const std::string root = parent_of(programs);
    if (!programs.ends_with("/shims") || !files_.is_directory(root + "/versions")) {
      return std::nullopt;
    }
    std::string chosen = variables_.get("PYENV_VERSION").value_or("");
    for (const std::string& file : {std::string(".python-version"), root + "/version"}) {
      if (chosen.empty()) {
        const std::string text = file_head(files_, file).value_or("");
        chosen = trimmed(text.substr(0, text.find('\n')));
      }
    }
    std::string folder = root + "/versions/" + chosen + "/bin";
    const bool there = !chosen.empty() && files_.is_file(folder + "/python3");
    return there ? std::move(folder) : std::string();
  }

  const world::Files& files_;
  const world::Variables& variables_;
  PythonEnvironment found_;
  std::vector<std::string> places_;  // of found_.folders, without symbolic links
};

}  // namespace

PythonEnvironment find_python(const world::Files& files, const world::Variables& variables) {
  return Search(files, variables).run();
}

}  // namespace epwise::hw
