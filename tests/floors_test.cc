// The arrows between the folders of src/ go where src/floors.txt says, and nowhere else.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/memory_files.h"
#include "support/source_tree.h"
#include "world/disk_files.h"

namespace epwise {

namespace {

using support::Row;

const Row* find_row(const std::vector<Row>& floors, const std::string& module) {
  for (const Row& row : floors) {
    if (row.name == module + ":") {
      return &row;
    }
  }
  return nullptr;
}

/// "src/text/mark.h" → "text"
std::string module_of(const std::string& path) {
  return path.substr(4, path.find('/', 4) - 4);
}

/// A module may only name modules that stand above it in the table, so there is no cycle.
std::vector<std::string> table_problems(const std::vector<Row>& floors) {
  std::vector<std::string> problems;
  std::vector<std::string> above;
  for (const Row& row : floors) {
    for (const std::string& word : row.words) {
      if (word != "*" && !support::holds(above, word + ":")) {
        problems.push_back("src/floors.txt: " + row.name + " names " + word +
                           ", which does not stand above it");
      }
    }
    above.push_back(row.name);
  }
  return problems;
}

std::vector<std::string> include_problems(const world::Files& files,
                                          const std::vector<Row>& floors,
                                          const std::string& path) {
  std::vector<std::string> problems;
  const std::string module = module_of(path);
  const Row* row = find_row(floors, module);
  for (const support::Include& include : support::includes_of(files, path)) {
    const std::string target = include.what.substr(0, include.what.find('/'));
    if (!include.quoted || target == module || row == nullptr) {
      continue;
    }
    if (find_row(floors, target) == nullptr) {
      problems.push_back(include.place() + ": " + include.what +
                         " is in no module; write paths from src/");
    } else if (!support::holds(row->words, target) && !support::holds(row->words, "*")) {
      problems.push_back(include.place() + ": " + module + " may not include " + target +
                         " (src/floors.txt)");
    }
  }
  return problems;
}

std::vector<std::string> floor_problems(const world::Files& files) {
  const auto floors = support::rows_of(files, "src/floors.txt");
  auto problems = table_problems(floors);
  for (const std::string& name : files.list("src")) {
    if (files.is_directory("src/" + name) && find_row(floors, name) == nullptr) {
      problems.push_back("src/floors.txt: the folder src/" + name + " is not listed");
    }
  }
  for (const std::string& path : support::files_below(files, "src")) {
    if (support::is_source(path)) {
      const auto more = include_problems(files, floors, path);
      problems.insert(problems.end(), more.begin(), more.end());
    }
  }
  return problems;
}

}  // namespace

TEST_CASE("arrows between modules go down only") {
  const world::DiskFiles files;
  REQUIRE(files.is_file("src/floors.txt"));
  CHECK(support::files_below(files, "src").size() > 20);
  for (const std::string& problem : floor_problems(files)) {
    FAIL_CHECK(problem);
  }
}

TEST_CASE("planted arrows are found, with file and line") {
  const support::MemoryFiles files({
      {"src/floors.txt",
       "# table\ntext:\nyaml: text\nlint: text yaml report\nreport: lint\ncli: *\n"},
      {"src/text/a.h",
       "#pragma once\n#include <string>\n#include \"text/b.h\"\n#include \"yaml/c.h\"\n"},
      {"src/yaml/c.h", "  #  include \"text/a.h\"\n#include \"b.h\"\n"},
      {"src/cli/main.cc", "#include \"yaml/c.h\"\n// #include \"nowhere/x.h\"\n"},
      {"src/attic/x.h", "#include \"yaml/c.h\"\n"},
  });
  CHECK(floor_problems(files) ==
        std::vector<std::string>{
            "src/floors.txt: lint: names report, which does not stand above it",
            "src/floors.txt: the folder src/attic is not listed",
            "src/text/a.h:4: text may not include yaml (src/floors.txt)",
            "src/yaml/c.h:2: b.h is in no module; write paths from src/",
        });
}

}  // namespace epwise
