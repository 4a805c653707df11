// Includes between the folders of src/ follow src/layers.txt.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "support/memory_files.h"
#include "support/source_tree.h"

namespace epwise {

namespace {

using support::Row;

const Row* find_row(const std::vector<Row>& layers, const std::string& module) {
  for (const Row& row : layers) {
    if (row.name == module + ":") {
      return &row;
    }
  }
  return nullptr;
}

/// The longest row that a path lies below: "perf/cost/gemm.h" → "perf/cost", "fix/plan.h" → "fix".
/// Without such a row, the first folder.
std::string module_of(const std::vector<Row>& layers, const std::string& path) {
  for (auto slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    if (find_row(layers, path.substr(0, slash)) != nullptr) {
      return path.substr(0, slash);
    }
  }
  return path.substr(0, path.find('/'));
}

/// A row names rows above it only, so modules cannot form a cycle.
std::vector<std::string> table_problems(const std::vector<Row>& layers) {
  std::vector<std::string> problems;
  std::vector<std::string> above;
  for (const Row& row : layers) {
    for (const std::string& word : row.words) {
      if (word != "*" && !support::holds(above, word + ":")) {
        problems.push_back("src/layers.txt: " + row.name + " names " + word +
                           ", which is not above it");
      }
    }
    above.push_back(row.name);
  }
  return problems;
}

std::vector<std::string> include_problems(const os::Files& files,
                                          const std::vector<Row>& layers,
                                          const std::string& path) {
  std::vector<std::string> problems;
  const std::string module = module_of(layers, path.substr(4));
  const Row* row = find_row(layers, module);
  for (const support::Include& include : support::includes_of(files, path)) {
    const std::string target = module_of(layers, include.what);
    if (!include.quoted || target == module || row == nullptr) {
      continue;
    }
    if (find_row(layers, target) == nullptr) {
      problems.push_back(include.place() + ": " + include.what +
                         " is in no module; write paths from src/");
    } else if (!support::holds(row->words, target) && !support::holds(row->words, "*")) {
      problems.push_back(include.place() + ": " + module + " may not include " + target +
                         " (src/layers.txt)");
    }
  }
  return problems;
}

std::vector<std::string> layer_problems(const os::Files& files) {
  const auto layers = support::rows_of(files, "src/layers.txt");
  auto problems = table_problems(layers);
  for (const std::string& path : support::files_below(files, "src")) {
    if (!support::is_source(path)) {
      continue;
    }
    if (find_row(layers, module_of(layers, path.substr(4))) == nullptr) {
      problems.push_back("src/layers.txt: no row for " + path);
    }
    const auto more = include_problems(files, layers, path);
    problems.insert(problems.end(), more.begin(), more.end());
  }
  return problems;
}

}  // namespace

TEST_CASE("modules include only the layers below them") {
  const os::DiskFiles files;
  REQUIRE(files.is_file("src/layers.txt"));
  CHECK(support::files_below(files, "src").size() > 20);
  for (const std::string& problem : layer_problems(files)) {
    FAIL_CHECK(problem);
  }
}

TEST_CASE("forbidden includes are reported with file and line") {
  const support::MemoryFiles files({
      {"src/layers.txt",
       "# table\nbase:\nyaml: base\nperf/cost: yaml\nlint: base yaml app\nperf/sim: perf/cost\n"
       "app: *\n"},
      {"src/base/a.h",
       "#pragma once\n#include <string>\n#include \"base/b.h\"\n#include \"yaml/c.h\"\n"},
      {"src/yaml/c.h", "  #  include \"base/a.h\"\n#include \"b.h\"\n"},
      {"src/perf/cost/gemm.h", "#include \"perf/sim/step.h\"\n#include \"yaml/c.h\"\n"},
      {"src/perf/sim/step.h", "#include \"perf/cost/gemm.h\"\n"},
      {"src/app/main.cc", "#include \"yaml/c.h\"\n// #include \"nowhere/x.h\"\n"},
      {"src/attic/x.h", "#include \"yaml/c.h\"\n"},
  });
  CHECK(layer_problems(files) ==
        std::vector<std::string>{
            "src/layers.txt: lint: names app, which is not above it",
            "src/layers.txt: no row for src/attic/x.h",
            "src/base/a.h:4: base may not include yaml (src/layers.txt)",
            "src/perf/cost/gemm.h:1: perf/cost may not include perf/sim (src/layers.txt)",
            "src/yaml/c.h:2: b.h is in no module; write paths from src/",
        });
}

}  // namespace epwise
