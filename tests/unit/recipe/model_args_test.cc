#include "recipe/arguments/model_args.h"

#include <string>

#include <doctest/doctest.h>

#include "base/text/source_file.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

struct Read {
  text::SourceFile file;
  yaml::Stream stream;
  ModelArgs args;

  explicit Read(const std::string& bytes, const Environment& environment = {})
      : file("a.yaml", bytes),
        stream(yaml::parse(file)) {
    args = read_model_args(stream.documents.at(0).root, environment);
  }
};

/// "--a <b> <c d> | recipe/quote"; words of unknown text with a question mark.
std::string shown_model_args(const std::string& bytes, const Environment& environment = {}) {
  const Read read(bytes, environment);
  std::string out;
  for (const Word& word : read.args.words) {
    const bool flag = word.text.substr(0, 2) == "--";
    out += (out.empty() ? "" : " ") + (flag ? word.text : "<" + word.text + ">") +
           (word.known() ? "" : "?");
  }
  for (const text::Diagnostic& each : read.args.diagnostics) {
    out += " | " + each.rule;
  }
  return out;
}

std::string functional(const std::string& arguments, const Environment& environment = {}) {
  return shown_model_args("TEST_TYPE: regular\nMODEL_ARGS:\n" + arguments, environment);
}

std::string modelzoo(const std::string& arguments, const Environment& environment = {}) {
  return shown_model_args("MODEL_ARGS:\n  --micro-batch-size: ${MBS}\n" + arguments, environment);
}

TEST_CASE("the functional tests' launcher") {
  CHECK(functional("  --a: true") == "--a");
  CHECK(functional("  --a: \"true\"") == "--a");
  CHECK(functional("  --a:") == "--a");
  CHECK(functional("  --a: ''") == "--a");
  CHECK(functional("  --a: True") == "--a <True>");
  CHECK(functional("  --a: false") == "--a <false>");
  CHECK(functional("  --a: null") == "--a <null>");
  CHECK(functional("  --a: 1e-5") == "--a <1e-5>");
  CHECK(functional("  --a: x y") == "--a <x y>");
  CHECK(functional("  --a: \"[x y]\"") == "--a <x> <y>");
  CHECK(functional("  --a: \"[x,y]\"") == "--a <x,y>");
  CHECK(functional("  --a: \"[0]+[1]*7\"") == "--a <[0]+[1]*7>");
  CHECK(functional("  --a: ([0]*1+[1]*7)") == "--a <([0]*1+[1]*7)>");
  CHECK(functional("  --a: \"'x y'\"") == "--a <x y>");
  CHECK(functional("  --a: 4\n  --a: 8") == "--a <4> --a <8>");
}

TEST_CASE("lists: blanks divide, commas stay, lines make no sense") {
  CHECK(functional("  --a: [x]") == "--a <x>");
  CHECK(functional("  --a: [x, y]") == "--a <x,> <y> | recipe/list-commas");
  CHECK(functional("  --a:\n    - x\n    - y") == "--a <x> <y> | recipe/list-lines");
  CHECK(functional("  --a: |\n    x\n    y") == "--a <x y> | recipe/list-lines");
  CHECK(functional("  --a: {b: c}") == "--a <{…}> | recipe/not-a-word");
  const Read read("MODEL_ARGS: {--a: [x, y]}");
  CHECK(read.args.diagnostics.front().help == "write it as a text with spaces: \"[x y]\"");
}

TEST_CASE("quotes that don't close stop the launcher") {
  CHECK(functional("  --a: it's\n  --b: 1") == "--a --b <1> | recipe/quote");
}

TEST_CASE("the ModelZoo's launcher drops false and divides at blanks") {
  const Environment bound = {{"MBS", "1"}};
  CHECK(modelzoo("  --a: false\n  --b: true", bound) == "--micro-batch-size <1> --b");
  CHECK(modelzoo("  --a: x y", bound) == "--micro-batch-size <1> --a <x> <y>");
  CHECK(modelzoo("  --a: ([0]*3+[1]*58)", bound) == "--micro-batch-size <1> --a <([0]*3+[1]*58)>");
  CHECK(modelzoo("", {}) == "--micro-batch-size <${MBS}>?");
  // Anything beside ENV_VARS and MODEL_ARGS is a functional test's.
  CHECK(shown_model_args("TEST_TYPE: x\nMODEL_ARGS:\n  --a: false\n  --b: ${TP}") ==
        "--a <false> --b <${TP}>?");
}

TEST_CASE("variables: the caller's, then the recipe's own, else unknown") {
  const std::string own =
      "ENV_VARS:\n  OWN: 7\n  FROM: ${OUT}/x\nTEST_TYPE: regular\nMODEL_ARGS:\n";
  CHECK(shown_model_args(own + "  --a: ${OWN}") == "--a <7>");
  CHECK(shown_model_args(own + "  --a: ${OWN}", {{"OWN", "8"}}) == "--a <8>");
  CHECK(shown_model_args(own + "  --a: ${FROM}", {{"OUT", "/o"}}) == "--a </o/x>");
  CHECK(shown_model_args(own + "  --a: ${FROM}") == "--a <${FROM}>?");
  CHECK(shown_model_args(own + "  --a: ${NOPE:-3}") == "--a <3>");
  CHECK(shown_model_args(own + "  --a: ${NOPE}/${OWN}") == "--a <${NOPE}/7>?");
  CHECK(shown_model_args(own + "  --a: ${GONE}", {{"GONE", std::nullopt}}) ==
        "--a <${GONE}>? | recipe/unset-variable");

  const Read read(own + "  --a: 1", {{"OUT", "/o"}});
  CHECK(read.args.variables.at("OWN").value == expr::Value::of("7"));
  CHECK(read.args.variables.at("FROM").value == expr::Value::of("/o/x"));
  CHECK(read.args.words.at(1).origin == Origin::written);
  CHECK(Read("MODEL_ARGS: {--a: \"${X}\"}", {{"X", "1"}}).args.words.at(1).origin ==
        Origin::environment);
}

TEST_CASE("a variable may bring a list or a truth value along") {
  CHECK(functional("  --a: ${L}", {{"L", "[x y]"}}) == "--a <x> <y>");
  CHECK(functional("  --a: ${B}", {{"B", "true"}}) == "--a");
  CHECK(modelzoo("  --a: ${B}", {{"B", "false"}, {"MBS", "1"}}) == "--micro-batch-size <1>");
}

TEST_CASE("documents that hold no flags, and other programs") {
  CHECK(Read("MODEL_ARGS: text").args.problem == "MODEL_ARGS is not a mapping of flags to values");
  CHECK(Read("MODEL_ARGS: {trainer.num_nodes: 1}").args.problem ==
        "MODEL_ARGS contains names such as `trainer.num_nodes`, not flags");
  CHECK(Read("MODEL_ARGS: {--a: 1}").args.problem.empty());
  CHECK(Read("MODE: inference\nMODEL_ARGS: {--a: 1}").args.program == "inference");
  CHECK(Read("MODEL_ARGS: {--model-provider: x}").args.program == "mimo");
  CHECK(Read("MODEL_ARGS: {--a: 1}").args.program.empty());
}

TEST_CASE("words point at their key and value") {
  const Read read("MODEL_ARGS:\n  --num-layers: 4\n");
  REQUIRE(read.args.words.size() == 2);
  CHECK(read.args.words[0].mark.start() == text::Position{2, 3});
  CHECK(read.args.words[1].mark.start() == text::Position{2, 17});
}

}  // namespace
}  // namespace epwise::recipe
