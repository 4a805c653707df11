// Each library enters through the door that src/doors.txt names.

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/memory_files.h"
#include "support/source_tree.h"
#include "world/disk_files.h"

namespace epwise {

namespace {

using support::Row;

/// A door is a file, a folder with a trailing slash, or "*.cc": any source but no header.
bool fits(const std::string& door, const std::string& path) {
  if (door.starts_with('*')) {
    return path.ends_with(door.substr(1));
  }
  return door.ends_with('/') ? path.starts_with(door) : path == door;
}

/// Headers of the system, which need no door.
bool is_system(const std::string& header) {
  const auto slash = header.find('/');
  return slash == std::string::npos || header.starts_with("sys/") || header.starts_with("net/") ||
         header.starts_with("netinet/") || header.starts_with("arpa/");
}

std::vector<std::string> door_problems(const world::Files& files) {
  const auto doors = support::rows_of(files, "src/doors.txt");
  std::vector<std::string> paths = support::files_below(files, "src");
  const auto tests = support::files_below(files, "tests");
  paths.insert(paths.end(), tests.begin(), tests.end());
  std::vector<std::string> problems;
  for (const std::string& path : paths) {
    if (!support::is_source(path)) {
      continue;
    }
    for (const support::Include& include : support::includes_of(files, path)) {
      const auto row = std::find_if(doors.begin(), doors.end(), [&include](const Row& door) {
        return include.what.starts_with(door.name);
      });
      if (row == doors.end()) {
        if (!include.quoted && !is_system(include.what)) {
          problems.push_back(include.place() + ": src/doors.txt has no door for <" + include.what +
                             ">");
        }
        continue;
      }
      const bool open = std::any_of(
          row->words.begin(), row->words.end(), [&](const auto& door) { return fits(door, path); });
      if (!open) {
        problems.push_back(include.place() + ": <" + include.what +
                           "> must not be included here (src/doors.txt)");
      }
    }
  }
  return problems;
}

}  // namespace

TEST_CASE("libraries enter through their doors") {
  const world::DiskFiles files;
  REQUIRE(files.is_file("src/doors.txt"));
  for (const std::string& problem : door_problems(files)) {
    FAIL_CHECK(problem);
  }
}

TEST_CASE("planted includes are found, with file and line") {
  const support::MemoryFiles files({
      {"src/doors.txt", "yaml-cpp/ src/yaml/parse.cc\nCLI/ src/cli/\nfmt/ *.cc\n"},
      {"src/yaml/parse.cc", "#include <yaml-cpp/yaml.h>\n#include <fmt/format.h>\n"},
      {"src/yaml/node.h", "#include <fmt/format.h>\n#include <sys/stat.h>\n"},
      {"src/cli/app.cc", "#include <CLI/CLI.hpp>\n#include \"yaml-cpp/yaml.h\"\n"},
      {"src/cli2/app.cc", "#include <CLI/CLI.hpp>\n#include <Eigen/Dense>\n"},
      {"tests/a_test.cc", "#include <yaml-cpp/yaml.h>\n"},
  });
  CHECK(door_problems(files) ==
        std::vector<std::string>{
            "src/cli/app.cc:2: <yaml-cpp/yaml.h> must not be included here (src/doors.txt)",
            "src/cli2/app.cc:1: <CLI/CLI.hpp> must not be included here (src/doors.txt)",
            "src/cli2/app.cc:2: src/doors.txt has no door for <Eigen/Dense>",
            "src/yaml/node.h:1: <fmt/format.h> must not be included here (src/doors.txt)",
            "tests/a_test.cc:1: <yaml-cpp/yaml.h> must not be included here (src/doors.txt)",
        });
}

}  // namespace epwise
