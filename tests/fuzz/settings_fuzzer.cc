/// What a repository says about its recipes. The first byte chooses: an `.epwise.yaml` ('c'), the
/// comments at the head of a recipe ('h'), versions of a stack and bounds of this program's
/// ('v'), or a profile of a GPU ('p'). What must hold: it is read, or every problem has a place in
/// the text and words.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"
#include "hw/profile.h"
#include "recipe/stack.h"
#include "session/settings/configuration.h"
#include "session/settings/recipe_header.h"
#include "support/fuzz_target.h"
#include "support/require.h"

namespace {

using epwise::support::require;
using epwise::text::Diagnostic;
using epwise::text::SourceFile;

void check_problems(const SourceFile& file, const std::vector<Diagnostic>& problems) {
  for (const Diagnostic& problem : problems) {
    require(!problem.message.empty());
    require(problem.mark.nowhere() ||
            (problem.mark.begin <= problem.mark.end && problem.mark.end <= file.bytes().size()));
  }
}

void read_settings(const SourceFile& file) {
  std::vector<Diagnostic> problems;
  const auto settings = epwise::session::read_configuration(file, "conf", problems);
  check_problems(file, problems);
  for (const auto& entry : settings.targets) {
    static_cast<void>(entry.covers("recipes/h100/a.yaml"));
    require(!entry.source.empty());
  }
}

void read_comments(const SourceFile& file) {
  try {
    static_cast<void>(epwise::session::read_header(file));
  } catch (const epwise::os::UsageError& error) {
    require(!std::string_view(error.what()).empty());
  }
}

/// "te=2.14.0" on each line.
void read_versions(std::string_view text) {
  epwise::recipe::Stack stack;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t equals = line.find('=');
    static_cast<void>(epwise::session::satisfies("0.1.0", line));
    if (equals != std::string_view::npos) {
      try {
        stack.set(line.substr(0, equals), line.substr(equals + 1), "fuzz");
        require(stack.find(line.substr(0, equals)) != nullptr);
      } catch (const epwise::os::UsageError& error) {
        require(!std::string_view(error.what()).empty());
      }
    }
    text.remove_prefix(line.size() + (line.size() < text.size() ? 1 : 0));
  }
}

}  // namespace

FUZZ_TARGET(settings) {
  if (size == 0) {
    return 0;
  }
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const SourceFile file("fuzz.yaml", bytes);
  std::vector<Diagnostic> problems;
  switch (data[0]) {
    case 'h':
      read_comments(file);
      break;
    case 'v':
      read_versions(bytes);
      break;
    case 'p':
      require(epwise::hw::read_profile(file, problems).has_value() == problems.empty());
      check_problems(file, problems);
      break;
    default:
      read_settings(file);
      break;
  }
  return 0;
}
