/// Names of files. The first byte chooses: lines of an ignore file, then a line `%%`, then paths
/// ('i'); a pattern on the first line, a text on the second ('g'); a `.git/config` ('c') or the
/// file that `.git` may be ('w'); what git answers ('a'). What must hold: it ends soon, a path
/// without wildcards fits itself, a folder's ignoring covers what lies in it, and no password of an
/// origin is told.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/gate/git.h"
#include "recipe/shell/pattern.h"
#include "session/files/checkout.h"
#include "session/files/file_selection.h"
#include "support/fuzz_target.h"
#include "support/memory_files.h"
#include "support/require.h"

namespace {

using epwise::support::require;

/// Up to a separator, and what stands behind it.
std::string_view first_part(std::string_view& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return part;
}

void ignore(std::string_view text) {
  const auto patterns = epwise::session::parse_patterns(first_part(text, "\n%%\n"));
  while (!text.empty()) {
    const std::string path(first_part(text, "\n"));
    for (const auto& pattern : patterns) {
      require(!pattern.matches(path, true) || pattern.covers(path + "/below"));
    }
  }
}

void match(std::string_view text) {
  const std::string_view pattern = first_part(text, "\n");
  static_cast<void>(epwise::session::glob_matches(pattern, text));
  static_cast<void>(epwise::shell::fits(pattern, text));
  const std::string_view little = text.substr(0, 256);
  for (const char* operation : {"#", "##", "%", "%%"}) {
    require(epwise::shell::without(little, operation, pattern).size() <= little.size());
  }
  require(epwise::shell::fits(epwise::shell::escaped(text), text));
  if (!epwise::session::is_glob(text) && text.find('\\') == std::string_view::npos) {
    require(epwise::session::glob_matches(text, text));
  }
}

void look(const std::string& path, const std::string& bytes) {
  const epwise::support::MemoryFiles files(
      {{path, bytes}, {"/.git/HEAD", bytes}, {"/a/.git/HEAD", bytes}, {"/a/b.yaml", ""}});
  static_cast<void>(epwise::session::find_checkout(files));
}

/// One answer to every question.
class Parrot : public epwise::os::Programs {
 public:
  explicit Parrot(std::string answer) : answer_(std::move(answer)) {}

  std::optional<std::string> output(const std::vector<std::string>& words) const override {
    require(words.front() == "git");
    return answer_;
  }

 private:
  std::string answer_;
};

void ask(const std::string& bytes) {
  const Parrot parrot(bytes);
  const epwise::cli::Git git(&parrot);
  require(git.root().size() <= bytes.size());
  for (const auto& name : git.changed_since("main")) {
    require(name.find('\0') == std::string::npos);
    static_cast<void>(git.show("main", name));
    static_cast<void>(git.show_staged(name));
  }
  require(git.changed_between("a", "b") == git.staged());
}

}  // namespace

FUZZ_TARGET(paths) {
  constexpr std::size_t kMost = 1U << 12U;
  if (size == 0 || size > kMost) {
    return 0;
  }
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'i':
      ignore(bytes);
      break;
    case 'c':
      look("/.git/config", bytes);
      break;
    case 'w':
      look("/.git", bytes);
      break;
    case 'a':
      ask(bytes);
      break;
    default:
      match(bytes);
      break;
  }
  return 0;
}
