#include "recipe/arguments/arguments.h"

#include <deque>
#include <string>

#include <doctest/doctest.h>

#include "base/text/source_file.h"

namespace epwise::recipe {
namespace {

using Action = Flag::Action;
using Values = Flag::Values;

Flag flag(std::vector<std::string_view> spellings, std::string_view attribute, Action action) {
  Flag made;
  made.spellings = std::move(spellings);
  made.attribute = attribute;
  made.action = action;
  return made;
}

Flag valued(std::string_view spelling,
            std::string_view attribute,
            std::string_view type,
            Values values = Values::one,
            std::vector<std::string_view> choices = {}) {
  Flag made = flag({spelling}, attribute, Action::store);
  made.type = type;
  made.values = values;
  made.choices = std::move(choices);
  return made;
}

/// A small parser with one flag of each kind.
const std::vector<Flag>& flags() {
  static const std::vector<Flag> kFlags = [] {
    std::vector<Flag> made{
        flag({"-h", "--help"}, "help", Action::help),
        valued("--num-experts", "num_experts", "int"),
        valued("--lr", "lr", "float"),
        flag({"--swiglu"}, "swiglu", Action::store_true),
        flag({"--no-fusion", "--disable-fusion"}, "fusion", Action::store_false),
        valued("--modules", "modules", "str", Values::some),
        valued("--paths", "paths", "str", Values::any),
        valued("--rampup", "rampup", "int", Values::fixed),
        valued("--dispatcher", "dispatcher", "str", Values::one, {"alltoall", "flex"}),
        valued("--backend", "backend", "enum", Values::one, {"flash", "auto"}),
        valued("--profile", "profile", "int", Values::optional),
        flag({"--level"}, "level", Action::store_const),
        flag({"--tag"}, "tag", Action::append),
    };
    for (Flag& one : made) {
      one.count = one.values == Values::fixed ? 3 : 0;
      one.constant = one.attribute == "level" ? expr::Value::of("high") : expr::Value::of(7);
    }
    return made;
  }();
  return kFlags;
}

Parser parser() {
  Parser made;
  for (const Flag& flag : flags()) {
    made.flags.push_back(&flag);
  }
  made.program = "the program";
  made.history = [](std::string_view spelling) {
    return spelling == "--future" ? std::string("known since 9.9") : std::string();
  };
  return made;
}

Arguments parsed(const std::vector<std::string>& texts) {
  std::vector<Word> words;
  for (const std::string& text : texts) {
    words.push_back({text, {}});
    if (text.find('$') != std::string::npos) {
      words.back().needs = {text};
    }
  }
  return parse_arguments(words, parser());
}

/// "num_experts=8 swiglu=true | flags/bad-value"
std::string shown_arguments(const std::vector<std::string>& texts) {
  const Arguments arguments = parsed(texts);
  std::string out;
  for (const auto& [attribute, argument] : arguments.values) {
    out += (out.empty() ? "" : " ") + attribute + "=" + argument.value.to_text();
  }
  for (const text::Diagnostic& each : arguments.diagnostics) {
    out += " | " + each.rule.substr(6);
  }
  return out;
}

TEST_CASE("flags of every kind") {
  CHECK(shown_arguments({"--num-experts", "8", "--swiglu", "--lr", "1e-5"}).substr(0, 5) ==
        "lr=1e");
  CHECK(shown_arguments({"--num-experts=8"}) == "num_experts=8");
  CHECK(shown_arguments({"--no-fusion"}) == "fusion=false");
  CHECK(shown_arguments({"--disable-fusion"}) == "fusion=false");
  CHECK(shown_arguments({"--modules", "a", "b", "--swiglu"}) == "modules=[a, b] swiglu=true");
  CHECK(shown_arguments({"--modules=a"}) == "modules=[a]");
  CHECK(shown_arguments({"--paths"}) == "paths=[]");
  CHECK(shown_arguments({"--rampup", "1", "2", "3"}) == "rampup=[1, 2, 3]");
  CHECK(shown_arguments({"--profile", "--swiglu"}) == "profile=7 swiglu=true");
  CHECK(shown_arguments({"--profile", "3"}) == "profile=3");
  CHECK(shown_arguments({"--level"}) == "level=high");
  CHECK(shown_arguments({"--tag", "a", "--tag", "b"}) == "tag=[a, b]");
}

TEST_CASE("the last occurrence wins and lists don't grow") {
  CHECK(shown_arguments({"--num-experts", "4", "--num-experts", "8"}) == "num_experts=8");
  CHECK(shown_arguments({"--modules", "a", "--modules", "b"}) == "modules=[b]");
}

TEST_CASE("what looks like a number is a value, unless argparse doesn't know that") {
  CHECK(shown_arguments({"--num-experts", "-4"}) == "num_experts=-4");
  CHECK(shown_arguments({"--lr", "-1.5"}) == "lr=-1.5");
  CHECK(shown_arguments({"--lr", "-.5"}) == "lr=-0.5");
  CHECK(shown_arguments({"--lr=-1e-2"}) == "lr=-0.01");
  CHECK(shown_arguments({"--lr", "-1e-2"}) == "lr=unknown | missing-value | unrecognized");
  CHECK(shown_arguments({"--modules", "- a"}) == "modules=[- a]");
}

TEST_CASE("values that are refused") {
  CHECK(shown_arguments({"--num-experts", "8.0"}) == "num_experts=unknown | bad-value");
  CHECK(shown_arguments({"--num-experts="}) == "num_experts=unknown | bad-value");
  CHECK(shown_arguments({"--dispatcher", "Flex"}) == "dispatcher=Flex | bad-choice");
  CHECK(shown_arguments({"--num-experts"}) == "num_experts=unknown | missing-value");
  CHECK(shown_arguments({"--modules"}) == "modules=unknown | missing-value");
  CHECK(shown_arguments({"--rampup", "1", "2"}) == "rampup=unknown | missing-value");
  CHECK(shown_arguments({"--swiglu=true"}) == "swiglu=unknown | unexpected-value");
  CHECK(shown_arguments({"-h"}) == " | help");

  const Arguments choice = parsed({"--backend", "bogus", "--dispatcher", "x"});
  CHECK(choice.bad_choice == "backend");
  CHECK(choice.diagnostics.front().message ==
        "`--backend` (backend) needs one of flash, auto, not `bogus`; the program fails with a "
        "Python error");
}

TEST_CASE("words that nobody takes come last, as argparse prints them") {
  CHECK(shown_arguments({"--what", "--num-experts", "x"}) ==
        "num_experts=unknown | bad-value | unrecognized");
  CHECK(shown_arguments({"foo"}) == " | stray-word");
  CHECK(shown_arguments({"--", "--swiglu"}) == " | stray-word");
  CHECK(shown_arguments({"--num-experts", "4", "5"}) == "num_experts=4 | stray-word");
  CHECK(shown_arguments({"--num-exp", "8"}) == " | unrecognized");
  CHECK(shown_arguments({"--num_experts", "8"}) == " | unrecognized");
  CHECK(shown_arguments({"-num-experts", "8"}) == " | unrecognized");

  const Arguments arguments = parsed({"--num-exper", "8", "--future", "--dispacher", "flex"});
  CHECK(arguments.unknown_flags ==
        std::vector<std::string>{"--num-exper", "--future", "--dispacher"});
  REQUIRE(arguments.diagnostics.size() == 3);
  CHECK(arguments.diagnostics[0].help == "abbreviations are switched off; write `--num-experts`");
  CHECK(arguments.diagnostics[1].message ==
        "the program does not know `--future` (known since 9.9)");
  CHECK(arguments.diagnostics[2].message ==
        "the program does not know `--dispacher`, did you mean `--dispatcher`?");
}

TEST_CASE("a word behind a bare flag is refused; the flag counts as it was meant") {
  CHECK(shown_arguments({"--swiglu", "false"}) == "swiglu=false | stray-word");
  CHECK(shown_arguments({"--swiglu", "True"}) == "swiglu=true | stray-word");
  CHECK(shown_arguments({"--no-fusion", "false"}) == "fusion=true | stray-word");
  CHECK(parsed({"--swiglu", "false"}).diagnostics.front().help == "remove `--swiglu`");
}

TEST_CASE("unknown texts make unknown values and no mistakes") {
  CHECK(shown_arguments({"--num-experts", "${N}"}) == "num_experts=unknown");
  CHECK(shown_arguments({"--dispatcher", "${D}"}) == "dispatcher=unknown");
  CHECK(shown_arguments({"--modules", "a", "${M}"}) == "modules=unknown");
  CHECK(shown_arguments({"--swiglu", "${S}", "--lr", "1"}) == "lr=1.0 swiglu=unknown");
  CHECK(parsed({"--num-experts", "${N}"}).values.at("num_experts").value.unknown()->needs ==
        std::vector<std::string>{"${N}"});
}

TEST_CASE("required flags and programs with flags of their own") {
  Parser made = parser();
  Flag must = valued("--must", "must", "str");
  must.required = true;
  made.flags.push_back(&must);
  std::vector<Word> words{{"--what", {}}, {"1", {}}};
  const Arguments arguments = parse_arguments(words, made);
  REQUIRE(arguments.diagnostics.size() == 2);
  CHECK(arguments.diagnostics[0].rule == "flags/required");
  CHECK(arguments.diagnostics[1].rule == "flags/unrecognized");

  made.complete = false;
  CHECK(parse_arguments(words, made).diagnostics.size() == 1);
  CHECK(parse_arguments(words, made).unknown_flags.size() == 1);
}

TEST_CASE("marks cover the flag, its values, and the value behind an equals sign") {
  const text::SourceFile line("<command line>", "--rampup 1 2 3 --lr=0.5 --num-experts=x");
  std::vector<Word> words;
  const std::string_view bytes = line.bytes();
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find(' ', at), bytes.size());
    words.push_back({std::string(bytes.substr(at, end - at)),
                     {&line, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)}});
    at = end + 1;
  }
  const Arguments arguments = parse_arguments(words, parser());
  const auto text_of = [&bytes](const text::Mark& mark) {
    return bytes.substr(mark.begin, mark.end - mark.begin);
  };
  CHECK(text_of(arguments.values.at("rampup").key) == "--rampup");
  CHECK(text_of(arguments.values.at("rampup").mark) == "1 2 3");
  CHECK(text_of(arguments.values.at("lr").key) == "--lr");
  CHECK(text_of(arguments.values.at("lr").mark) == "0.5");
  CHECK(text_of(arguments.diagnostics.front().mark) == "x");
}

TEST_CASE("many wrong words take little time") {
  std::vector<Word> words;
  for (int i = 0; i < 50'000; ++i) {
    words.push_back({"--wrong-" + std::to_string(i), {}});
    words.push_back({"x", {}});
  }
  CHECK(parse_arguments(words, parser()).diagnostics.size() == 50'000);
}

}  // namespace
}  // namespace epwise::recipe
