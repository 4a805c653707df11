#include "session/files/places.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "support/memory_files.h"

using epwise::support::MemoryFiles;
namespace cli = epwise::session;

namespace {

using Map = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("Paths are taken apart and put together") {
  CHECK(cli::parent_of("recipes/a.yaml") == "recipes");
  CHECK(cli::parent_of("a.yaml") == ".");
  CHECK(cli::parent_of("/a") == "/");
  CHECK(cli::parent_of("/") == "/");
  CHECK(cli::parent_of("a/b/") == "a");
  CHECK(cli::join("a", "b") == "a/b");
  CHECK(cli::join(".", "b") == "b");
  CHECK(cli::join("/", "b") == "/b");
  CHECK(cli::join("a", "/b") == "/b");
  CHECK(cli::below("/repo", "/repo/a/b") == "a/b");
  CHECK_FALSE(cli::below("/repo", "/repository/a").has_value());
  CHECK(cli::below("/", "/a") == "a");
}

TEST_CASE("What encloses a folder ends at the root of its repository") {
  const MemoryFiles files(
      Map{{"/w/repo/.git/HEAD", ""}, {"/w/repo/a/b/c.yaml", ""}, {"/w/other/d.yaml", ""}});
  CHECK(cli::enclosing_folders(files, "/w/repo/a/b") ==
        std::vector<std::string>{"/w/repo/a/b", "/w/repo/a", "/w/repo"});
  // Outside a repository the working directory (here "/") is the end.
  CHECK(cli::enclosing_folders(files, "/w/other") ==
        std::vector<std::string>{"/w/other", "/w", "/"});
}

TEST_CASE("A worktree's .git is a file") {
  const MemoryFiles files(Map{{"/w/tree/.git", "gitdir: /w/repo"}, {"/w/tree/a/b.yaml", ""}});
  CHECK(cli::enclosing_folders(files, "/w/tree/a") ==
        std::vector<std::string>{"/w/tree/a", "/w/tree"});
}

TEST_CASE("The folder of a name that does not exist is the nearest that does") {
  const MemoryFiles files(Map{{"/recipes/a.yaml", ""}});
  CHECK(cli::folder_of(files, "recipes/new/b.yaml") == "/recipes");
  CHECK(cli::folder_of(files, "recipes/a.yaml") == "/recipes");
  CHECK(cli::folder_of(files, "b.yaml") == "/");
}
