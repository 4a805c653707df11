#include "session/options/command_line.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "support/memory_files.h"

using epwise::os::UsageError;
using epwise::session::add_variables;
using epwise::session::Arguments;
using epwise::session::find_command;
using epwise::session::Option;
using epwise::session::parse_words;
using epwise::session::Setting;
using epwise::support::MemoryVariables;

namespace {

using Map = std::map<std::string, std::string>;

using Words = std::vector<std::string>;

std::vector<Option> options() {
  return {
      {.name = "--hw", .arity = Option::Arity::one, .value = "NAME", .variable = "EPWISE_HW"},
      {.name = "--env",
       .arity = Option::Arity::many,
       .value = "K=V",
       .variable = "EPWISE_ENV",
       .separator = ' '},
      {.name = "--level",
       .arity = Option::Arity::one,
       .value = "LEVEL",
       .variable = "EPWISE_LEVEL",
       .words = {"error", "warning"}},
      {.name = "--strict", .variable = "EPWISE_STRICT"},
      {.name = "--jobs", .short_name = "-j", .arity = Option::Arity::one, .value = "N"},
      {.name = "--quiet", .short_name = "-q"},
  };
}

Arguments parse_command_line(const Words& words) {
  return parse_words(options(), words, "epwise lint");
}

}  // namespace

TEST_CASE("Options and operands come in any order") {
  const Arguments arguments = parse_command_line(
      {"a.yaml", "--hw", "h100", "-q", "b.yaml", "--env=A=1", "--env", "B", "-j4"});
  CHECK(arguments.operands == Words{"a.yaml", "b.yaml"});
  CHECK(arguments.one("--hw") == Setting{"h100", "--hw"});
  CHECK(arguments.all("--env") == std::vector<Setting>{{"A=1", "--env"}, {"B", "--env"}});
  CHECK(arguments.one("--jobs") == Setting{"4", "--jobs"});
  CHECK(arguments.flag("--quiet"));
  CHECK_FALSE(arguments.flag("--strict"));
  CHECK_FALSE(arguments.one("--level").has_value());
}

TEST_CASE("One value may be given twice, a dash is an operand, brackets are kept") {
  const Arguments arguments =
      parse_command_line({"--hw", "h100", "--hw", "h100", "-", "[a,b]", ""});
  CHECK(arguments.one("--hw") == Setting{"h100", "--hw"});
  CHECK_THROWS_WITH_AS(parse_command_line({"--hw", "h100", "--hw", "a100"}),
                       "--hw is given twice: `h100` and `a100`",
                       UsageError);
  CHECK(arguments.operands == Words{"-", "[a,b]", ""});
}

TEST_CASE("What is wrong with the words is said with the way out") {
  struct Row {
    Words words;
    std::string message;
  };

  const std::vector<Row> rows = {
      {{"--hww", "h100"}, "unknown option `--hww` of epwise lint, did you mean `--hw`?"},
      {{"--quite"}, "unknown option `--quite` of epwise lint, did you mean `--quiet`?"},
      {{"--zzzzzzzz=1"}, "unknown option `--zzzzzzzz` of epwise lint"},
      {{"a.yaml", "--hw"}, "option `--hw` of epwise lint needs a value: --hw NAME"},
      {{"--hw="}, "option `--hw` of epwise lint needs a value: --hw NAME"},
      {{"--hw", "--env", "A"}, "option `--hw` of epwise lint needs a value: --hw NAME"},
      {{"--strict=false"}, "option `--strict` of epwise lint takes no value"},
      {{"--level", "warn"},
       "option `--level` of epwise lint expects one of error, warning, not `warn`"},
      {{"--level", "eror"},
       "option `--level` of epwise lint expects one of error, warning, not `eror`, did you mean "
       "`error`?"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    CHECK_THROWS_WITH_AS(parse_command_line(row.words), row.message.c_str(), UsageError);
  }
}

TEST_CASE("Variables speak where the options are silent") {
  Arguments arguments = parse_command_line({"--hw", "h100"});
  const MemoryVariables variables(Map{{"EPWISE_HW", "a100"},
                                      {"EPWISE_ENV", "A=1,2 B"},
                                      {"EPWISE_STRICT", "1"},
                                      {"EPWISE_LEVEL", ""}});
  add_variables(options(), variables, arguments);
  CHECK(arguments.one("--hw") == Setting{"h100", "--hw"});
  CHECK(arguments.all("--env") ==
        std::vector<Setting>{{"A=1,2", "EPWISE_ENV"}, {"B", "EPWISE_ENV"}});
  CHECK(arguments.flag("--strict"));
  CHECK_FALSE(arguments.flag("--level"));
}

TEST_CASE("A variable that makes no sense is a wrong command") {
  Arguments arguments;
  CHECK_THROWS_WITH_AS(
      add_variables(options(), MemoryVariables(Map{{"EPWISE_STRICT", "maybe"}}), arguments),
      "EPWISE_STRICT is a switch (1 or 0), not `maybe`",
      UsageError);
  CHECK_THROWS_WITH_AS(
      add_variables(options(), MemoryVariables(Map{{"EPWISE_LEVEL", "fatal"}}), arguments),
      "EPWISE_LEVEL expects one of error, warning, not `fatal`",
      UsageError);
  add_variables(options(), MemoryVariables(Map{{"EPWISE_STRICT", "off"}}), arguments);
  CHECK_FALSE(arguments.flag("--strict"));
}

TEST_CASE("The command is the first word that is no option") {
  CHECK(find_command(options(), {"-q", "lint", "--nonsense"}) == 1);
  CHECK(find_command(options(), {"--level", "error", "lint"}) == 2);
  CHECK(find_command(options(), {"-q"}) == 1);
  CHECK(find_command(options(), {}) == 0);
  CHECK_THROWS_AS(find_command(options(), {"--nonsense", "lint"}), UsageError);
}

TEST_CASE("Words of a header carry its place") {
  const Arguments arguments =
      parse_words(options(), {"--hw", "h100"}, "the header at a.yaml:1", "a.yaml:1");
  CHECK(arguments.one("--hw") == Setting{"h100", "a.yaml:1"});
}
