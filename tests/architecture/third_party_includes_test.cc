// Third-party headers are included only where src/third_party_includes.txt allows it.

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "support/memory_files.h"
#include "support/source_tree.h"

namespace epwise {

namespace {

using support::Row;

/// A place is a file, a folder with a trailing slash, or "*.cc": any source but no header.
bool fits(const std::string& place, const std::string& path) {
  if (place.starts_with('*')) {
    return path.ends_with(place.substr(1));
  }
  return place.ends_with('/') ? path.starts_with(place) : path == place;
}

/// Headers of the system, which any file may include.
bool is_system(const std::string& header) {
  const auto slash = header.find('/');
  return slash == std::string::npos || header.starts_with("sys/") || header.starts_with("net/") ||
         header.starts_with("netinet/") || header.starts_with("arpa/");
}

std::vector<std::string> include_problems(const os::Files& files) {
  const auto rows = support::rows_of(files, "src/third_party_includes.txt");
  std::vector<std::string> paths = support::files_below(files, "src");
  const auto tests = support::files_below(files, "tests");
  paths.insert(paths.end(), tests.begin(), tests.end());
  std::vector<std::string> problems;
  for (const std::string& path : paths) {
    if (!support::is_source(path)) {
      continue;
    }
    for (const support::Include& include : support::includes_of(files, path)) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&include](const Row& entry) {
        return include.what.starts_with(entry.name);
      });
      if (row == rows.end()) {
        if (!include.quoted && !is_system(include.what)) {
          problems.push_back(include.place() + ": src/third_party_includes.txt does not list <" +
                             include.what + ">");
        }
        continue;
      }
      const bool open = std::any_of(row->words.begin(), row->words.end(), [&](const auto& place) {
        return fits(place, path);
      });
      if (!open) {
        problems.push_back(include.place() + ": <" + include.what +
                           "> must not be included here (src/third_party_includes.txt)");
      }
    }
  }
  return problems;
}

}  // namespace

TEST_CASE("third-party headers are included only where they are allowed") {
  const os::DiskFiles files;
  REQUIRE(files.is_file("src/third_party_includes.txt"));
  for (const std::string& problem : include_problems(files)) {
    FAIL_CHECK(problem);
  }
}

TEST_CASE("forbidden includes are reported with file and line") {
  const support::MemoryFiles files({
      {"src/third_party_includes.txt", "yaml-cpp/ src/yaml/parse.cc\nCLI/ src/cli/\nfmt/ *.cc\n"},
      {"src/yaml/parse.cc", "#include <yaml-cpp/yaml.h>\n#include <fmt/format.h>\n"},
      {"src/yaml/node.h", "#include <fmt/format.h>\n#include <sys/stat.h>\n"},
      {"src/cli/app.cc", "#include <CLI/CLI.hpp>\n#include \"yaml-cpp/yaml.h\"\n"},
      {"src/cli2/app.cc", "#include <CLI/CLI.hpp>\n#include <Eigen/Dense>\n"},
      {"tests/a_test.cc", "#include <yaml-cpp/yaml.h>\n"},
  });
  CHECK(include_problems(files) ==
        std::vector<std::string>{
            "src/cli/app.cc:2: <yaml-cpp/yaml.h> must not be included here "
            "(src/third_party_includes.txt)",
            "src/cli2/app.cc:1: <CLI/CLI.hpp> must not be included here "
            "(src/third_party_includes.txt)",
            "src/cli2/app.cc:2: src/third_party_includes.txt does not list <Eigen/Dense>",
            "src/yaml/node.h:1: <fmt/format.h> must not be included here "
            "(src/third_party_includes.txt)",
            "tests/a_test.cc:1: <yaml-cpp/yaml.h> must not be included here "
            "(src/third_party_includes.txt)",
        });
}

}  // namespace epwise
