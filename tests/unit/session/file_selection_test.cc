#include "session/files/file_selection.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "base/os/files.h"
#include "support/memory_files.h"

using epwise::session::FileSelection;
using epwise::session::Input;
using epwise::session::select_files;
using epwise::support::MemoryFiles;

namespace {

using Map = std::map<std::string, std::string>;

using Paths = std::vector<std::string>;

Paths paths_of(const FileSelection& selection) {
  Paths paths;
  for (const Input& input : selection.inputs) {
    paths.push_back(input.path);
  }
  return paths;
}

MemoryFiles repository() {
  return MemoryFiles(Map{{".git/HEAD", ""},
                         {".git/x.yaml", ""},
                         {".gitignore", "out/\n*.tmp.yaml\n"},
                         {"recipes/.epwiseignore", "old/*\n!old/keep.yaml\n/top.yml\n"},
                         {"recipes/a.yaml", ""},
                         {"recipes/b.yml", ""},
                         {"recipes/c.txt", ""},
                         {"recipes/d.tmp.yaml", ""},
                         {"recipes/top.yml", ""},
                         {"recipes/deep/top.yml", ""},
                         {"recipes/old/gone.yaml", ""},
                         {"recipes/old/keep.yaml", ""},
                         {"recipes/out/e.yaml", ""},
                         {"docs/readme.txt", ""}});
}

}  // namespace

TEST_CASE("A folder gives its YAML files, but not those that ignore files name") {
  const FileSelection selection = select_files(repository(), {"recipes"}, "");
  CHECK(paths_of(selection) ==
        Paths{"recipes/a.yaml", "recipes/b.yml", "recipes/deep/top.yml", "recipes/old/keep.yaml"});
  CHECK(selection.unreadable.empty());
  CHECK_FALSE(selection.inputs.front().named);
}

TEST_CASE("The working directory is a folder like any other") {
  const Paths all = paths_of(select_files(repository(), {"."}, ""));
  CHECK(all.front() == "recipes/a.yaml");
  CHECK(all == paths_of(select_files(repository(), {"./"}, "")));
}

TEST_CASE("A file that is named is linted, whatever ignores it") {
  const FileSelection selection =
      select_files(repository(), {"recipes/out/e.yaml", "./recipes/c.txt"}, "");
  CHECK(paths_of(selection) == Paths{"recipes/c.txt", "recipes/out/e.yaml"});
  CHECK(selection.inputs.front().named);
}

TEST_CASE("A number after the name of a file is one of its recipes") {
  MemoryFiles files = repository();
  files.put("odd#2", "");
  const auto read = [&files](const std::string& operand) {
    const auto numbered = epwise::session::numbered_path(files, operand);
    return numbered.path + " " + std::to_string(numbered.number);
  };
  CHECK(read("recipes/a.yaml#2") == "recipes/a.yaml 2");
  CHECK_THROWS_AS(read("recipes/a.yaml#0"), epwise::os::UsageError);
  CHECK(read("recipes/a.yaml#x") == "recipes/a.yaml#x 0");
  CHECK(read("recipes/none.yaml#2") == "recipes/none.yaml#2 0");
  CHECK(read("odd#2") == "odd#2 0");
  const FileSelection all = select_files(files, {"recipes/a.yaml#2", "recipes/a.yaml#1"}, "");
  REQUIRE(all.inputs.size() == 2);
  CHECK(all.inputs.front().number == 1);
  CHECK(select_files(files, {"recipes/a.yaml#2", "recipes/a.yaml"}, "").inputs.size() == 1);
}

TEST_CASE("Patterns are expanded when no shell did") {
  CHECK(paths_of(select_files(repository(), {"recipes/*.yaml"}, "")) == Paths{"recipes/a.yaml"});
  CHECK(paths_of(select_files(repository(), {"**/*.yml"}, "")) ==
        Paths{"recipes/b.yml", "recipes/deep/top.yml"});
  CHECK(paths_of(select_files(repository(), {"/recipes/?.yml"}, "")) == Paths{"/recipes/b.yml"});
}

TEST_CASE("The order of arguments does not matter, and each file counts once") {
  const MemoryFiles files = repository();
  const FileSelection selection =
      select_files(files, {"recipes/b.yml", "recipes", "recipes/a.yaml", "-", "-"}, "x.yaml");
  CHECK(paths_of(selection) == Paths{"recipes/a.yaml",
                                     "recipes/b.yml",
                                     "recipes/deep/top.yml",
                                     "recipes/old/keep.yaml",
                                     "x.yaml"});
  CHECK(selection.inputs[0].named);
  CHECK(selection.inputs[1].named);
  CHECK(selection.inputs.back().standard);
  CHECK(paths_of(select_files(files, {"-"}, "")) == Paths{"<stdin>"});
}

TEST_CASE("An argument that gives nothing is said to") {
  const FileSelection selection = select_files(repository(), {"no.yaml", "docs", "x/*.yaml"}, "");
  CHECK(selection.inputs.empty());
  CHECK(selection.unreadable ==
        Paths{"no.yaml: no such file or directory", "x/*.yaml: no file matches this pattern"});
  CHECK(selection.empty == Paths{"docs: no YAML file or shell script in this directory"});
}

TEST_CASE("A folder that can't be listed is an error, not an empty folder") {
  MemoryFiles files = repository();
  files.forbidden.insert("recipes/old");
  const FileSelection selection = select_files(files, {"recipes"}, "");
  CHECK(paths_of(selection) == Paths{"recipes/a.yaml", "recipes/b.yml", "recipes/deep/top.yml"});
  CHECK(selection.unreadable == Paths{"cannot list recipes/old: permission denied"});
  files.forbidden.insert("recipes");
  CHECK(select_files(files, {"recipes"}, "").unreadable ==
        Paths{"cannot list recipes: permission denied"});
}
