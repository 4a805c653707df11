#include "base/os/disk_files.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/process_variables.h"
#include "support/memory_files.h"
#include "support/temporary_folder.h"

namespace epwise::os {

namespace {

namespace fs = std::filesystem;

using Folder = support::TemporaryFolder;

unsigned mode(const std::string& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

}  // namespace

TEST_CASE("what is written is read back, whole or up to a limit") {
  const Folder folder;
  DiskFiles files;
  const std::string content("line\r\n\0end", 10);
  files.write_atomically(folder / "a.yaml", content);
  CHECK(files.read(folder / "a.yaml") == content);
  CHECK(files.read(folder / "a.yaml", 3) == content.substr(0, 4));
  CHECK(files.read(folder / "a.yaml", 10) == content);
  const std::string large(300'000, 'x');
  files.write_atomically(folder / "a.yaml", large);
  CHECK(files.read(folder / "a.yaml") == large);
}

TEST_CASE("who wants a regular file waits for no pipe") {
  const Folder folder;
  DiskFiles files;
  files.write_atomically(folder / "a.yaml", "text");
  REQUIRE(::symlink("a.yaml", (folder / "link").c_str()) == 0);
  CHECK(read_regular(files, folder / "a.yaml") == "text");
  CHECK(read_regular(files, folder / "link", 1) == "te");
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string sentence = "cannot read " + pipe + ": it is a named pipe, not a regular file";
  CHECK_THROWS_WITH_AS(read_regular(files, pipe), sentence.c_str(), MissingError);
  CHECK_THROWS_WITH_AS(read_regular(files, "/dev/null"),
                       "cannot read /dev/null: it is a device, not a regular file",
                       MissingError);
  CHECK_THROWS_AS(read_regular(files, folder / "none"), MissingError);
  CHECK_THROWS_AS(read_regular(files, folder.path()), MissingError);
}

TEST_CASE("a replaced file's other names keep the old content, and the caller learns of it") {
  const Folder folder;
  std::vector<std::string> told;
  DiskFiles files([&told](const std::string& path, std::size_t others) {
    told.push_back(path.substr(path.rfind('/') + 1) + " " + std::to_string(others));
  });
  files.write_atomically(folder / "a.yaml", "a long text");
  CHECK(told.empty());
  fs::create_hard_link(folder / "a.yaml", folder / "b.yaml");
  fs::create_hard_link(folder / "a.yaml", folder / "c.yaml");
  CHECK_FALSE(files.replace_atomically(folder / "a.yaml", "other", "newer"));
  CHECK_FALSE(files.create_atomically(folder / "a.yaml", "newer"));
  CHECK(told.empty());
  CHECK(files.replace_atomically(folder / "a.yaml", "a long text", "new"));
  CHECK(told == std::vector<std::string>{"a.yaml 2"});
  files.write_atomically(folder / "b.yaml", "the newest text");
  CHECK(told == std::vector<std::string>{"a.yaml 2", "b.yaml 1"});
  CHECK(files.read(folder / "a.yaml") == "new");
  CHECK(files.read(folder / "b.yaml") == "the newest text");
  CHECK(files.read(folder / "c.yaml") == "a long text");
  files.write_atomically(folder / "b.yaml", "alone");
  CHECK(told.size() == 2);
  CHECK(files.list(folder.path()) == std::vector<std::string>{"a.yaml", "b.yaml", "c.yaml"});
}

TEST_CASE("an input may be a pipe that somebody writes to") {
  const Folder folder;
  DiskFiles files;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string sentence = "cannot read " + pipe + ": nothing writes to this named pipe";
  CHECK_THROWS_WITH_AS(files.read(pipe), sentence.c_str(), MissingError);
  std::thread writer([&] { files.write_atomically(pipe, std::string(300'000, 'x')); });
  CHECK(files.read(pipe).size() == 300'000);
  writer.join();
}

TEST_CASE("a pipe is written through, and stays a pipe") {
  const Folder folder;
  DiskFiles files;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE(::symlink("pipe", (folder / "link").c_str()) == 0);
  // Open for both ends, so that nobody waits for the other.
  const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  REQUIRE(reader >= 0);
  for (const auto* name : {"pipe", "link"}) {
    files.write_atomically(folder / name, "report");
    std::string got(16, ' ');
    got.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(reader, got.data(), 16), 0)));
    CHECK(got == "report");
    CHECK(fs::is_fifo(pipe));
  }
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(files.list(folder.path()) == std::vector<std::string>{});
  ::close(reader);
}

TEST_CASE("a device is written through") {
  DiskFiles files;
  files.write_atomically("/dev/null", "report");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a missing file is named with the system's reason") {
  const Folder folder;
  const DiskFiles files;
  const std::string path = folder / "none.yaml";
  CHECK_THROWS_WITH_AS(files.read(path),
                       ("cannot read " + path + ": no such file or directory").c_str(),
                       MissingError);
  CHECK_THROWS_WITH_AS(files.read(folder.path()),
                       ("cannot read " + folder.path() + ": is a directory").c_str(),
                       MissingError);
}

TEST_CASE("a folder is listed in the order of bytes") {
  const Folder folder;
  DiskFiles files;
  for (const std::string name : {"b", "a", "C", ".hidden"}) {
    files.write_atomically(folder / name, "");
  }
  CHECK(files.list(folder.path()) == std::vector<std::string>{".hidden", "C", "a", "b"});
  CHECK(files.list(folder / "none").empty());
  CHECK_THROWS_WITH_AS(files.list(folder / "a"),
                       ("cannot list " + (folder / "a") + ": not a directory").c_str(),
                       MissingError);
  CHECK(list_if_possible(files, folder / "a").empty());
  CHECK(files.is_directory(folder.path()));
  CHECK_FALSE(files.is_file(folder.path()));
  CHECK(files.is_file(folder / "a"));
  CHECK_FALSE(files.is_file(folder / "none"));
}

TEST_CASE("places are compared without links") {
  const Folder folder;
  DiskFiles files;
  files.write_atomically(folder / "a", "");
  fs::create_symlink("a", folder / "link");
  CHECK(files.canonical(folder / "link") == files.canonical(folder / "a"));
  CHECK_FALSE(files.canonical(folder / "none").has_value());
}

TEST_CASE("two names of a file are told from two files with the same content") {
  const Folder folder;
  DiskFiles files;
  files.write_atomically(folder / "a", "text");
  files.write_atomically(folder / "copy", "text");
  fs::create_symlink("a", folder / "link");
  fs::create_hard_link(folder / "a", folder / "b");
  CHECK(files.identity(folder / "link") == files.identity(folder / "a"));
  CHECK(files.identity(folder / "b") == files.identity(folder / "a"));
  CHECK(files.identity(folder / "copy") != files.identity(folder / "a"));
  CHECK(files.identity(folder / "none").empty());
}

TEST_CASE("writing keeps the mode and the link, and leaves nothing behind") {
  const Folder folder;
  DiskFiles files;
  files.write_atomically(folder / "a", "old");
  REQUIRE(::chmod((folder / "a").c_str(), 0640) == 0);
  fs::create_symlink("a", folder / "link");
  files.write_atomically(folder / "link", "new");
  CHECK(files.read(folder / "a") == "new");
  CHECK(mode(folder / "a") == 0640);
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(files.list(folder.path()) == std::vector<std::string>{"a", "link"});
}

TEST_CASE("of two that create a file one does, and what changed meanwhile stays") {
  const Folder folder;
  DiskFiles files;
  const std::string path = folder / "new.yaml";
  CHECK(files.create_atomically(path, "one"));
  CHECK_FALSE(files.create_atomically(path, "two"));
  CHECK(files.read(path) == "one");
  CHECK_FALSE(files.replace_atomically(path, "zero", "two"));
  CHECK(files.read(path) == "one");
  CHECK(files.replace_atomically(path, "one", "two"));
  CHECK(files.read(path) == "two");
  CHECK(files.list(folder.path()).size() == 1);
}

TEST_CASE("a file that nobody may write stays") {
  const Folder folder;
  DiskFiles files;
  const std::string path = folder / "closed.yaml";
  files.write_atomically(path, "old");
  fs::permissions(path, fs::perms::owner_read);
  CHECK_THROWS_WITH_AS(
      files.write_atomically(path, "new"), doctest::Contains("permission denied"), MissingError);
  CHECK_THROWS_AS(files.replace_atomically(path, "old", "new"), MissingError);
  CHECK(files.read(path) == "old");
  CHECK(files.list(folder.path()).size() == 1);
}

TEST_CASE("a write that fails says so and keeps the old content") {
  const Folder folder;
  DiskFiles files;
  const std::string path = folder / "none/a";
  CHECK_THROWS_WITH_AS(files.write_atomically(path, "x"),
                       ("cannot write " + path + ": no such file or directory").c_str(),
                       MissingError);
  fs::create_directory(folder / "taken");
  CHECK_THROWS_AS(files.write_atomically(folder / "taken", "x"), MissingError);
  CHECK(files.list(folder.path()) == std::vector<std::string>{"taken"});
}

TEST_CASE("environment variables of this process") {
  const ProcessVariables variables;
  REQUIRE(::setenv("EPWISE_TEST_VARIABLE", "", 1) == 0);
  CHECK(variables.get("EPWISE_TEST_VARIABLE") == "");
  REQUIRE(::unsetenv("EPWISE_TEST_VARIABLE") == 0);
  CHECK_FALSE(variables.get("EPWISE_TEST_VARIABLE").has_value());
}

TEST_CASE("files in memory behave like files") {
  support::MemoryFiles files({{"recipes/a.yaml", "x: 1"}, {"/etc/b", "y"}});
  CHECK(files.read("recipes/../recipes/a.yaml") == "x: 1");
  CHECK(files.read("recipes/a.yaml", 1) == "x:");
  CHECK(files.list(".") == std::vector<std::string>{"etc", "recipes"});
  CHECK(files.list("recipes/") == std::vector<std::string>{"a.yaml"});
  CHECK(files.is_directory("recipes"));
  CHECK(files.canonical("recipes/./a.yaml") == "/recipes/a.yaml");
  CHECK_FALSE(files.canonical("none").has_value());
  CHECK_THROWS_AS(files.read("none"), MissingError);
  CHECK_THROWS_AS(files.read("recipes"), MissingError);
  files.link("recipes/a.yaml", "b.yaml");
  CHECK(files.identity("./b.yaml") == files.identity("recipes/a.yaml"));
  CHECK(files.read("b.yaml") == "x: 1");
  files.put("b.yaml", "x: 1");
  CHECK(files.identity("b.yaml") != files.identity("recipes/a.yaml"));
  files.write_atomically("out", "text");
  CHECK(files.read("out") == "text");
  CHECK(files.writes == std::vector<support::MemoryFiles::Write>{{"out", "text"}});
  files.forbidden.insert("out");
  CHECK_THROWS_AS(files.read("out"), MissingError);
  CHECK_THROWS_AS(files.write_atomically("out", ""), MissingError);
}

}  // namespace epwise::os
