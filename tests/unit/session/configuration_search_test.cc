#include <map>
#include <string>

#include <doctest/doctest.h>

#include "session/settings/configuration.h"
#include "support/memory_files.h"

using epwise::os::UsageError;
using epwise::session::Configuration;
using epwise::session::ConfigurationSearch;
using epwise::session::find_entry;
using epwise::session::Setting;
using epwise::support::MemoryFiles;

namespace {

using Map = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("The nearest configuration counts, alone, up to the root of the repository") {
  const MemoryFiles files(Map{{".epwise.yaml", "hw: v100\n"},
                              {"repo/.git/HEAD", ""},
                              {"repo/.epwise.yaml", "hw: h100\n"},
                              {"repo/a/.epwise.yaml", "gpus: 8\n"},
                              {"repo/a/b/x.yaml", ""},
                              {"repo/c/y.yaml", ""},
                              {"plain/.git/HEAD", ""},
                              {"plain/z.yaml", ""}});
  ConfigurationSearch search(files, "", "0.1.0");
  const Configuration& nearest = search.find("repo/a/b/x.yaml");
  CHECK(nearest.path == "repo/a/.epwise.yaml");
  CHECK_FALSE(nearest.target.hw.has_value());  // nothing is merged in from above
  CHECK(search.find("repo/c/y.yaml").target.hw == Setting{"h100", "repo/.epwise.yaml:1"});
  CHECK(search.find("plain/z.yaml").path.empty());
  CHECK(search.find("repo/c/not-there.yaml").path == "repo/.epwise.yaml");
}

TEST_CASE("--config names one file for all, or none") {
  const MemoryFiles files(
      Map{{".epwise.yaml", "hw: v100\n"}, {"conf/ci.yaml", "hw: h100\nrules: ours\n"}});
  ConfigurationSearch chosen(files, "conf/ci.yaml", "0.1.0");
  CHECK(chosen.find("a.yaml").target.hw == Setting{"h100", "conf/ci.yaml:1"});
  CHECK(chosen.find("a.yaml").run.rules == Setting{"conf/ours", "conf/ci.yaml:2"});
  CHECK(ConfigurationSearch(files, "none", "0.1.0").find("a.yaml").path.empty());
  CHECK_THROWS_WITH_AS(ConfigurationSearch(files, "no.yaml", "0.1.0").find("a.yaml"),
                       "configuration: cannot read no.yaml: no such file or directory",
                       UsageError);
}

TEST_CASE("A configuration that can't be used stops the run") {
  const auto message = [](const char* text) -> std::string {
    const MemoryFiles files(Map{{".epwise.yaml", text}});
    try {
      ConfigurationSearch(files, "", "0.1.0").find("a.yaml");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message("hww: h100\nx: 1\n") ==
        ".epwise.yaml:1: unknown key `hww` in the configuration, did you mean `hw`?\n"
        ".epwise.yaml:2: unknown key `x` in the configuration");
  CHECK(message("required_version: \">=9\"\n") ==
        ".epwise.yaml:1: epwise >=9 is required here, but this is 0.1.0");
  CHECK_FALSE(message("hw: [\n").empty());
  CHECK(message("# still empty\n").empty());
  CHECK(message("").empty());
}

TEST_CASE("A wrong file name is not passed over") {
  const MemoryFiles files(Map{{".epwise.yml", "hw: h100\n"}});
  CHECK_THROWS_WITH_AS(ConfigurationSearch(files, "", "0.1.0").find("a.yaml"),
                       ".epwise.yml is not read: rename it to .epwise.yaml",
                       UsageError);
}

TEST_CASE("The first entry that covers a file counts, unless one is chosen by name") {
  const MemoryFiles files(Map{{"repo/.git/HEAD", ""},
                              {"repo/.epwise.yaml",
                               "targets:\n"
                               "  - {name: small, paths: [h100/], gpus: 8}\n"
                               "  - {name: rest, paths: ['*.yaml'], gpus: 64}\n"},
                              {"repo/h100/a.yaml", ""},
                              {"repo/b.yaml", ""},
                              {"repo/c.txt", ""}});
  ConfigurationSearch search(files, "", "0.1.0");
  const Configuration& configuration = search.find("repo/b.yaml");
  CHECK(find_entry(files, configuration, "repo/h100/a.yaml", "")->name == "small");
  CHECK(find_entry(files, configuration, "repo/b.yaml", "")->name == "rest");
  CHECK(find_entry(files, configuration, "repo/c.txt", "") == nullptr);
  CHECK(find_entry(files, configuration, "repo/b.yaml", "small")->name == "small");
  CHECK_THROWS_WITH_AS(find_entry(files, configuration, "repo/b.yaml", "smal"),
                       "no target `smal` in repo/.epwise.yaml, did you mean `small`?",
                       UsageError);
}
