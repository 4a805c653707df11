// The top level of the repository holds what a newcomer expects there, and nothing else: a new kind
// of thing finds its place below one of these.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "support/memory_files.h"
#include "support/source_tree.h"

namespace epwise {

namespace {

const std::vector<std::string> kTopLevel = {"CHANGELOG.md",
                                            "CMakeLists.txt",
                                            "CMakePresets.json",
                                            "CONTRIBUTING.md",
                                            "LICENSE",
                                            "README.md",
                                            "action.yml",
                                            "docs",
                                            "examples",
                                            "hwprofiles",
                                            "kernels",
                                            "packaging",
                                            "python",
                                            "rules",
                                            "pyproject.toml",
                                            "src",
                                            "tests"};

/// Names beside the expected ones; dot files and builds, which git ignores, don't count.
std::vector<std::string> strangers(const os::Files& files) {
  std::vector<std::string> names;
  for (const std::string& name : files.list(".")) {
    const bool counts = !name.starts_with('.') && !name.starts_with("build");
    if (counts && !support::holds(kTopLevel, name)) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("The top level holds what is named here") {
  CHECK(strangers(os::DiskFiles()) == std::vector<std::string>{});
}

TEST_CASE("A stranger at the top level is found") {
  support::MemoryFiles files;
  files.put("./README.md", "");
  files.put("./.clang-format", "");
  files.put("./build-deep/x", "");
  files.put("./schemas/lint.json", "");
  CHECK(strangers(files) == std::vector<std::string>{"schemas"});
}

}  // namespace epwise
