#include "session/settings/recipe_header.h"

#include <doctest/doctest.h>

#include "base/os/files.h"

using epwise::os::UsageError;
using epwise::session::read_header;
using epwise::session::Setting;
using epwise::session::split_words;
using epwise::session::TargetSettings;
using epwise::text::SourceFile;

namespace {

TargetSettings header_settings(const char* text) {
  return read_header(SourceFile("a.yaml", text));
}

}  // namespace

TEST_CASE("Comments at the top say what a recipe runs on") {
  const TargetSettings settings = header_settings(
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
  CHECK(header_settings("# epwise: ignore[overlap/x] -- reason\nmodel: {}\n") == TargetSettings{});
  CHECK(header_settings("# epwise checks this\nmodel: {}\n") == TargetSettings{});
  CHECK(header_settings("") == TargetSettings{});
}

TEST_CASE("A wrong header names its line") {
  CHECK_THROWS_WITH_AS(header_settings("# epwise: --hww h100\n"),
                       "unknown option `--hww` of the header at a.yaml:1, did you mean `--hw`?",
                       UsageError);
  CHECK_THROWS_AS(header_settings("# epwise: --hw h100 h200\n"), UsageError);
  CHECK_THROWS_AS(header_settings("# epwise: --exit-zero\n"), UsageError);
  CHECK_THROWS_AS(header_settings("# epwise: --framework nemo\n"), UsageError);
}

TEST_CASE("Texts are split as a shell does") {
  using Texts = std::vector<std::string>;
  CHECK(split_words(" a  b\tc ") == Texts{"a", "b", "c"});
  CHECK(split_words("K='x y'\"z\" ''") == Texts{"K=x yz", ""});
  CHECK(split_words("").empty());
}
