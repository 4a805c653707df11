#include "hw/distributions.h"

#include <algorithm>
#include <array>
#include <optional>

#include "hw/file_text.h"

namespace epwise::hw {

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

/// How package indexes compare names: lower case, runs of `-`, `_` and `.` as one dash.
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
    // "torch" must not bring in torchvision; the others have variants: -cu12, -torch.
    return name == prefix || (prefix != "torch" && name.starts_with(prefix) &&
                              name.substr(prefix.size()).starts_with('-'));
  });
}

/// The parts of "torch-2.9.1+cu128.dist-info" and "deep_ep-1.2.1-py3.12-linux-x86_64.egg".
struct Label {
  std::string name;
  std::string version;
  std::string_view metadata;  // the file inside that holds the header
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
std::string version_in(std::string_view metadata) {
  constexpr std::string_view kKey = "Version:";
  for (const std::string_view line : lines_of(metadata)) {
    if (line.empty()) {
      break;
    }
    if (line.starts_with(kKey)) {
      return std::string(trimmed(line.substr(kKey.size())));
    }
  }
  return {};
}

/// The source folder in an editable install's direct_url.json.
std::string checkout_of(const world::Files& files, const std::string& where) {
  const auto text = file_head(files, where + "/direct_url.json");
  if (!text || text->find("\"editable\"") == std::string::npos) {
    return {};
  }
  constexpr std::string_view kScheme = "file://";
  const std::string_view url = quoted_after(*text, "\"url\":");
  return url.starts_with(kScheme) ? std::string(url.substr(kScheme.size())) : std::string{};
}

}  // namespace

std::vector<Distribution> find_distributions(const world::Files& files,
                                             const std::vector<std::string>& folders) {
  std::vector<Distribution> all;
  for (const std::string& folder : folders) {
    for (const std::string& entry : world::list_if_possible(files, folder)) {
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
      found.version = version_in(file_head(files, metadata).value_or(""));
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

std::vector<std::string> path_additions(const world::Files& files, const std::string& folder) {
  std::vector<std::string> additions;
  for (const std::string& entry : world::list_if_possible(files, folder)) {
    if (!entry.ends_with(".pth")) {
      continue;
    }
    const std::string text = file_head(files, folder + "/" + entry).value_or("");
    for (const std::string_view raw : lines_of(text)) {
      const std::string line(trimmed(raw));
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

}  // namespace epwise::hw
