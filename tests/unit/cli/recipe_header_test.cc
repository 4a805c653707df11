#include "cli/settings/recipe_header.h"

#include <doctest/doctest.h>

#include "world/files.h"

using epwise::cli::read_header;
using epwise::cli::Setting;
using epwise::cli::split_words;
using epwise::cli::TargetSettings;
using epwise::text::SourceFile;
using epwise::world::UsageError;

namespace {

TargetSettings read(const char* text) {
  return read_header(SourceFile("a.yaml", text));
}

}  // namespace

TEST_CASE("Comments at the top say what a recipe runs on") {
  const TargetSettings settings = read(
      "# A recipe\n"
      "\n"
      "# epwise: --hw gb200 --gpus 256\n"
      "---\n"
      "#epwise:--stack nemo-25.09,te=2.14.0 --env 'A=x y' --framework=bridge\n"
      "model: {}\n"
      "# epwise: --hw h100\n");
  CHECK(settings.hw == Setting{"gb200", "a.yaml:3"});
  CHECK(settings.gpus == Setting{"256", "a.yaml:3"});
  CHECK(settings.stack ==
        std::vector<Setting>{{"nemo-25.09", "a.yaml:5"}, {"te=2.14.0", "a.yaml:5"}});
  CHECK(settings.environment == std::vector<Setting>{{"A=x y", "a.yaml:5"}});
  CHECK(settings.framework == Setting{"bridge", "a.yaml:5"});
}

TEST_CASE("Other comments are none of our business") {
  CHECK(read("# epwise: ignore[overlap/x] -- reason\nmodel: {}\n") == TargetSettings{});
  CHECK(read("# epwise checks this\nmodel: {}\n") == TargetSettings{});
  CHECK(read("") == TargetSettings{});
}

TEST_CASE("A wrong header names its line") {
  CHECK_THROWS_WITH_AS(read("# epwise: --hww h100\n"),
                       "unknown option `--hww` of the header at a.yaml:1, did you mean `--hw`?",
                       UsageError);
  CHECK_THROWS_AS(read("# epwise: --hw h100 h200\n"), UsageError);
  CHECK_THROWS_AS(read("# epwise: --exit-zero\n"), UsageError);
  CHECK_THROWS_AS(read("# epwise: --framework nemo\n"), UsageError);
}

TEST_CASE("Words are split as a shell does") {
  using Words = std::vector<std::string>;
  CHECK(split_words(" a  b\tc ") == Words{"a", "b", "c"});
  CHECK(split_words("K='x y'\"z\" ''") == Words{"K=x yz", ""});
  CHECK(split_words("").empty());
}
