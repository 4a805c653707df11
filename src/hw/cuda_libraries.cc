#include "hw/cuda_libraries.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "hw/file_text.h"

namespace epwise::hw {

namespace {

/// The leading "13.0.2" of "13.0.2.006" or "2.27.7-1": what rules compare.
std::string leading_version(std::string_view text, int parts) {
  std::size_t end = 0;
  while (end < text.size()) {
    const char letter = text[end];
    if (letter == '.') {
      if (--parts == 0) {
        break;
      }
    } else if (letter < '0' || letter > '9') {
      break;
    }
    ++end;
  }
  text = text.substr(0, end);
  while (text.ends_with('.')) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

/// The first word that is a dotted number: the driver's version in its banner.
std::string first_version(std::string_view line) {
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
      return {};
    }
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (word.find('.') != std::string_view::npos &&
        word.find_first_not_of("0123456789.") == std::string_view::npos) {
      return std::string(word);
    }
    line.remove_prefix(word.size());
  }
  return {};
}

std::optional<Component> from_variable(const world::Variables& variables,
                                       const std::string& name,
                                       const std::string& component) {
  const std::string version = leading_version(variables.get(name).value_or(""), 3);
  if (version.empty()) {
    return std::nullopt;
  }
  return Component{component, version, name};
}

}  // namespace

std::optional<Component> find_cuda_toolkit(const world::Files& files,
                                           const world::Variables& variables) {
  if (auto found = from_variable(variables, "CUDA_VERSION", "cuda")) {
    return found;
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", ""}) {
    const auto home =
        *variable == '\0' ? std::optional<std::string>("/usr/local/cuda") : variables.get(variable);
    const std::string path = home.value_or("") + "/version.json";
    const auto text = home ? file_head(files, path) : std::nullopt;
    if (!text) {
      continue;
    }
    const std::size_t entry = text->find("\"cuda\"");
    const std::string_view rest =
        entry == std::string::npos ? std::string_view{} : std::string_view(*text).substr(entry);
    const std::string version = leading_version(quoted_after(rest, "\"version\""), 3);
    if (!version.empty()) {
      return Component{"cuda", version, path};
    }
  }
  return std::nullopt;
}

std::optional<Component> find_nccl(const world::Files& files, const world::Variables& variables) {
  constexpr std::string_view kLibrary = "libnccl.so.2";
  std::vector<std::string> folders = split_paths(variables.get("LD_LIBRARY_PATH").value_or(""));
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64",
                             "/usr/local/lib"}) {
    folders.emplace_back(folder);
  }
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + std::string(kLibrary);
    const auto real = files.is_file(path) ? files.canonical(path) : std::nullopt;
    const std::size_t name = real ? real->rfind("libnccl.so.") : std::string::npos;
    if (name == std::string::npos) {
      continue;
    }
    constexpr std::size_t kPrefix = std::string_view("libnccl.so.").size();
    const std::string version = leading_version(std::string_view(*real).substr(name + kPrefix), 3);
    if (version.find('.') != std::string::npos) {
      return Component{"nccl", version, *real};
    }
  }
  return from_variable(variables, "NCCL_VERSION", "nccl");
}

Devices devices_in_proc(const world::Files& files) {
  const std::string root = "/proc/driver/nvidia";
  Devices found;
  const std::string banner = file_head(files, root + "/version").value_or("");
  for (const std::string_view line : lines_of(banner)) {
    if (line.starts_with("NVRM")) {
      found.driver = first_version(line);
    }
  }
  for (const std::string& gpu : world::list_if_possible(files, root + "/gpus")) {
    std::string path = root + "/gpus/";
    path.append(gpu).append("/information");
    const std::string text = file_head(files, path).value_or("");
    for (const std::string_view line : lines_of(text)) {
      constexpr std::string_view kKey = "Model:";
      if (line.starts_with(kKey)) {
        found.gpus.push_back({std::string(trimmed(line.substr(kKey.size()))), 0});
      }
    }
  }
  if (!found.gpus.empty() || !found.driver.empty()) {
    found.where = root;
  }
  return found;
}

}  // namespace epwise::hw
