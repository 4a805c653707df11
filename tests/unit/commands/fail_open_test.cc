// A linter that says "fine" when it could not look is worse than none. Each of these ends with a
// code of its own and one line that says why.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/app_run.h"

using epwise::support::AppRun;
using epwise::support::MemoryFiles;

namespace {

constexpr const char* kReadable = "model:\n  num_layers: 4\n";

struct Case {
  std::string what;
  std::vector<std::string> words;
  int code;
  std::string reason;  // in what is said
};

AppRun world() {
  AppRun app;
  app.files.put(".git/HEAD", "");
  app.files.put("good.yaml", kReadable);
  app.files.put("empty.yaml", "");
  app.files.put("blank.yaml", "# nothing\n");
  app.files.put("secret.yaml", kReadable);
  app.files.put("docs/readme.txt", "");
  app.files.put("other/compose.yaml", "services: {web: {image: x}}\n");
  app.files.put("broken/.epwise.yaml", "hw: [\n");
  app.files.put("broken/a.yaml", kReadable);
  app.files.put("typo/.epwise.yaml", "gpsu: 8\n");
  app.files.put("typo/a.yaml", kReadable);
  app.files.put("rules/x/y.yaml", "code: 7\n");
  app.files.put("header.yaml", std::string("# epwise: --hw nonsense\n") + kReadable);
  app.files.put("recipe.py", "print()\n");
  app.files.forbidden = {"secret.yaml"};
  return app;
}

}  // namespace

TEST_CASE("Nothing that keeps epwise from looking ends in success") {
  const std::vector<Case> cases = {
      {"malformed configuration", {"lint", "broken/a.yaml"}, 2, "broken/.epwise.yaml:"},
      {"unknown key", {"lint", "typo/a.yaml"}, 2, "typo/.epwise.yaml:1: unknown key `gpsu`"},
      {"no such configuration", {"lint", "good.yaml", "--config", "no.yaml"}, 2, "no.yaml"},
      {"pattern without files", {"lint", "*.yml"}, 3, "no file matches"},
      {"no such file", {"lint", "no.yaml"}, 3, "no such file"},
      {"one of two is missing", {"lint", "good.yaml", "no.yaml"}, 3, "no such file"},
      {"unreadable file", {"lint", "secret.yaml"}, 3, "permission denied"},
      {"empty name", {"lint", ""}, 3, "empty file name"},
      {"base that is not there", {"lint", "good.yaml", "--base", "no.yaml"}, 3, "no.yaml"},
      {"folder without YAML", {"lint", "docs"}, 4, "no YAML file"},
      {"folder without recipes", {"lint", "other"}, 4, "nothing checked"},
      {"Python recipe", {"lint", "recipe.py"}, 3, "Python"},
      {"broken rules", {"lint", "good.yaml", "--rules", "rules"}, 2, "rules/x/y.yaml"},
      {"no rules folder", {"lint", "good.yaml", "--rules", "none"}, 2, "no rules directory"},
      {"unknown rule", {"lint", "good.yaml", "--select", "zzz"}, 2, "unknown rule `zzz`"},
      {"all rules ignored",
       {"lint", "good.yaml", "--select", "EPO001", "--ignore", "EPO001"},
       4,
       "nothing"},
      {"wrong header", {"lint", "header.yaml"}, 2, "header.yaml:1: unknown hardware profile"},
      {"unknown target", {"lint", "good.yaml", "--target", "x"}, 2, "no target `x`"},
      {"document that is not there",
       {"lint", "good.yaml", "--document", "2"},
       3,
       "contains no recipe 2"},
      {"unwritable output",
       {"lint", "good.yaml", "--format", "json=secret.yaml"},
       3,
       "cannot write"},
  };
  for (const Case& each : cases) {
    for (const bool zero : {false, true}) {
      CAPTURE(each.what);
      AppRun app = world();
      std::vector<std::string> words = each.words;
      if (zero) {
        words.emplace_back("--exit-zero");  // maps 1 to 0 and nothing else
      }
      CHECK(app.run(words) == each.code);
      CAPTURE(app.err);
      CHECK((app.out + app.err).find(each.reason) != std::string::npos);
      words.insert(words.end(), {"--format", "concise"});
      if (each.what != "unwritable output") {
        CHECK(app.run(words) == each.code);
        CHECK(app.err.starts_with("epwise: "));
        CHECK(app.err.find(each.reason) != std::string::npos);
      }
    }
  }
}

TEST_CASE("An empty file is never clean") {
  for (const std::string name : {"empty.yaml", "blank.yaml"}) {
    CAPTURE(name);
    AppRun app = world();
    CHECK(app.run({"lint", name}) != 0);
    CHECK_FALSE((app.out + app.err).empty());
  }
}

TEST_CASE("The format does not change the exit code") {
  for (const std::string format : {"full", "concise", "json", "sarif", "github"}) {
    for (const auto& each : std::vector<std::pair<std::string, int>>{
             {"good.yaml", 0}, {"empty.yaml", -1}, {"secret.yaml", 3}, {"other", 4}}) {
      CAPTURE(format);
      CAPTURE(each.first);
      AppRun app = world();
      AppRun plain = world();
      CHECK(app.run({"lint", each.first, "--format", format}) == plain.run({"lint", each.first}));
      if (each.second >= 0) {
        CHECK(app.code == each.second);
      }
    }
  }
}

TEST_CASE("A bug with one file does not keep the others from being linted, and is 70") {
  /// A disk that we did not expect.
  class Surprising : public MemoryFiles {
   public:
    using MemoryFiles::MemoryFiles;

    std::string read(const std::string& path, std::size_t limit) const override {
      if (path == "b.yaml") {
        throw std::logic_error("boom");
      }
      return MemoryFiles::read(path, limit);
    }
  };

  Surprising files;
  for (const char* name : {"a.yaml", "b.yaml", "c.yaml"}) {
    files.put(name, kReadable);
  }
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const epwise::support::MemoryVariables variables;
  const epwise::support::GivenDevices devices;
  epwise::cli::App app({in, out, err, files, variables, {}, devices});
  CHECK(app.run({"lint", "a.yaml", "b.yaml", "c.yaml", "--format", "json"}) == 70);
  CHECK(err.str() == "epwise: internal error in b.yaml: boom; please report it with the file\n");
  CHECK(out.str().find("internal error in b.yaml: boom") != std::string::npos);
  CHECK(out.str().find("a.yaml") != std::string::npos);
  CHECK(out.str().find("c.yaml") != std::string::npos);
}

TEST_CASE("The output does not depend on -j or on the order of arguments") {
  AppRun app;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) {
    names.push_back("r" + std::to_string(i) + ".yaml");
    app.files.put(names.back(),
                  "model:\n  num_layers: " + std::to_string(i) + "\n  num_moe_experts: 7\n");
  }
  std::vector<std::string> words{"lint", "--format", "json", "-j", "1"};
  words.insert(words.end(), names.begin(), names.end());
  app.run(words);
  const std::string once = app.out;
  CHECK_FALSE(once.empty());
  std::reverse(words.begin() + 5, words.end());
  for (const std::string jobs : {"1", "3", "16"}) {
    words[4] = jobs;
    app.run(words);
    CHECK(app.out == once);
  }
}

TEST_CASE("A directory without recipes is exit 4 for every command that takes directories") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"lint", "docs"},
           {"lint", "docs", "--fix"},
           {"lint", "docs", "good.yaml"},
           {"lint", "docs", "--list-files"},
           {"gate", "docs", "--gpus", "8"},
           {"simulate", "docs", "--hw", "h100", "--gpus", "8"},
           {"compare", "docs", "docs", "--hw", "h100", "--gpus", "8"},
           {"diff", "docs", "docs"},
           {"baseline", "write", "b.yaml", "docs", "--reason", "x"},
           {"lint", "other"},
           {"gate", "other", "--gpus", "8"},
           {"simulate", "other", "--hw", "h100", "--gpus", "8"},
           {"compare", "other", "other", "--hw", "h100", "--gpus", "8"},
           {"diff", "other", "other"},
           {"baseline", "write", "b.yaml", "other", "--reason", "x"}}) {
    CAPTURE(words);
    AppRun app = world();
    CHECK(app.run(words) == 4);
    CAPTURE(app.err);
    CHECK_FALSE((app.out + app.err).empty());
    CHECK_FALSE(app.files.is_file("b.yaml"));
  }
}
