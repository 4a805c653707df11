#include "session/files/checkout.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "support/memory_files.h"

using epwise::session::Checkout;
using epwise::session::find_checkout;
using epwise::support::MemoryFiles;

namespace {

using Map = std::map<std::string, std::string>;

Checkout of(Map files) {
  return find_checkout(MemoryFiles(std::move(files)));
}

std::string origin(const std::string& address) {
  return of(Map{{".git/HEAD", "ref: refs/heads/main\n"},
                {".git/config", "[core]\n\turl = no\n[remote \"origin\"]\n\turl = " + address}})
      .uri;
}

}  // namespace

TEST_CASE("A branch, its revision and the origin are read from git's files") {
  const Checkout checkout =
      of(Map{{".git/HEAD", "ref: refs/heads/topic/x\n"},
             {".git/refs/heads/topic/x", "0123456789012345678901234567890123456789\n"},
             {".git/config", "[remote \"origin\"]\n\turl = https://host/a/b.git\n"}});
  CHECK(checkout.branch == "topic/x");
  CHECK(checkout.revision == "0123456789012345678901234567890123456789");
  CHECK(checkout.uri == "https://host/a/b.git");
  CHECK(checkout.prefix.empty());
}

TEST_CASE("Packed references and detached heads") {
  CHECK(of(Map{{".git/HEAD", "ref: refs/heads/main\n"},
               {".git/packed-refs", "# pack\nabc refs/heads/other\ndef refs/heads/main\n"}})
            .revision == "def");
  const Checkout detached = of(Map{{".git/HEAD", "abcdef\n"}, {"a", ""}});
  CHECK(detached.revision == "abcdef");
  CHECK(detached.branch.empty());
}

TEST_CASE("A worktree keeps its state elsewhere") {
  const Checkout checkout =
      of(Map{{".git", "gitdir: /main/.git/worktrees/x\n"},
             {"/main/.git/worktrees/x/HEAD", "ref: refs/heads/x\n"},
             {"/main/.git/worktrees/x/commondir", "../..\n"},
             {"/main/.git/refs/heads/x", "abc\n"},
             {"/main/.git/config", "[remote \"origin\"]\nurl = ssh://h/p\n"}});
  CHECK(checkout.branch == "x");
  CHECK(checkout.revision == "abc");
  CHECK(checkout.uri == "ssh://h/p");
}

TEST_CASE("Names, tokens and folders of this machine are kept out of the origin") {
  CHECK(origin("https://user:token@host/a/b\n") == "https://host/a/b");
  CHECK(origin("https://host/a@b\n") == "https://host/a@b");
  CHECK(origin("git@host:a/b.git\n") == "ssh://host/a/b.git");
  CHECK(origin("/home/me/repo\n").empty());
  CHECK(origin("../repo\n").empty());
  CHECK(origin("file:///home/me/repo\n").empty());
}

TEST_CASE("Outside of a repository there is nothing to say") {
  const Checkout checkout = of(Map{{"a.yaml", ""}, {"b.yaml", ""}});
  CHECK(checkout.uri.empty());
  CHECK(checkout.revision.empty());
  CHECK(checkout.branch.empty());
}

TEST_CASE("The root is known in a checkout and outside of one") {
  CHECK(of(Map{{".git/HEAD", "abc\n"}}).root == "/");
  CHECK(of(Map{{"a", ""}}).root == "/");
}

TEST_CASE("names from the repository around a file do not depend on the working directory") {
  using epwise::session::repository_path;
  Checkout around;
  around.root = "/repo";
  around.here = "/repo/sub";
  CHECK(repository_path(around, "../a.yaml") == "a.yaml");
  CHECK(repository_path(around, "b.yaml") == "sub/b.yaml");
  around.here = "/";
  CHECK(repository_path(around, "repo/a.yaml") == "a.yaml");
  CHECK(repository_path(around, "/repo/a.yaml") == "a.yaml");
  CHECK(repository_path(around, "other/a.yaml") == "/other/a.yaml");
  around.root = "/";
  CHECK(repository_path(around, "a.yaml") == "a.yaml");
}
