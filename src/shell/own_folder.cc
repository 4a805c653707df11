#include "shell/own_folder.h"

namespace epwise::shell {
namespace {

constexpr std::size_t npos = std::string_view::npos;

int count(std::string_view text, std::string_view what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != npos; at = text.find(what, at + what.size())) {
    ++found;
  }
  return found;
}

}  // namespace

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == npos) {
    return ".";
  }
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::optional<std::string> own_folder(std::string_view command, std::string_view script) {
  const bool own = command.find("$0") != npos || command.find("${0}") != npos ||
                   command.find("BASH_SOURCE") != npos;
  const int folders = count(command, "dirname");
  constexpr int kMost = 4;
  if (!own || folders == 0 || folders > kMost || command.find('|') != npos) {
    return std::nullopt;
  }
  std::string result = folder_of(script);
  for (int i = 1; i < folders + count(command, "/.."); ++i) {
    result += "/..";
  }
  return result;
}

}  // namespace epwise::shell
