#include "ui/style.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::report {

TEST_CASE("colour: the first that speaks wins") {
  struct Case {
    std::string what;
    ColourFacts facts;
    bool coloured;
  };

  const std::vector<Case> cases{
      {"a terminal", {.terminal = true}, true},
      {"a pipe", {.terminal = false}, false},
      {"a dumb terminal", {.terminal = true, .term = "dumb"}, false},
      {"another terminal", {.terminal = true, .term = "xterm-256color"}, true},
      {"NO_COLOR", {.terminal = true, .no_color = "1"}, false},
      {"NO_COLOR with any text", {.terminal = true, .no_color = "0"}, false},
      {"NO_COLOR set to nothing", {.terminal = true, .no_color = ""}, true},
      {"FORCE_COLOR in a pipe", {.force_color = "1"}, true},
      {"FORCE_COLOR with any text", {.force_color = "yes"}, true},
      {"FORCE_COLOR=0 does not force", {.force_color = "0"}, false},
      {"FORCE_COLOR=false does not force", {.terminal = true, .force_color = "false"}, true},
      {"FORCE_COLOR set to nothing", {.force_color = ""}, false},
      {"FORCE_COLOR on a dumb terminal", {.force_color = "1", .term = "dumb"}, true},
      {"CLICOLOR_FORCE in a pipe", {.clicolor_force = "1"}, true},
      {"CLICOLOR_FORCE=0", {.clicolor_force = "0"}, false},
      {"NO_COLOR before FORCE_COLOR", {.no_color = "1", .force_color = "1"}, false},
      {"--color=always before NO_COLOR", {.choice = ColourChoice::always, .no_color = "1"}, true},
      {"--color=never before FORCE_COLOR",
       {.choice = ColourChoice::never, .terminal = true, .force_color = "1"},
       false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(use_colour(c.facts) == c.coloured);
  }
}

TEST_CASE("paint: codes only when asked for, links only when asked for") {
  const Paint plain(false, false);
  CHECK(plain(Role::error, "error") == "error");
  CHECK(plain.link("here", "https://example.org") == "here");

  const Paint coloured(true, true);
  CHECK(coloured(Role::error, "error") == "\x1b[1;31merror\x1b[0m");
  CHECK(coloured(Role::plain, "text") == "text");
  CHECK(coloured(Role::error, "").empty());
  CHECK(coloured.link("here", "https://example.org") ==
        "\x1b]8;;https://example.org\x1b\\here\x1b]8;;\x1b\\");
}

}  // namespace epwise::report
