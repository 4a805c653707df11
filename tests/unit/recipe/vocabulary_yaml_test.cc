#include "recipe/vocabulary/vocabulary_yaml.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "recipe/vocabulary/vocabulary.h"

namespace epwise::recipe {

namespace {

const std::string kBridge = R"(versions: [1.0.0, 1.1.0, head]
sections:
- {name: env, since: 1.1.0}
- {name: model, class: m.Wide}
- {name: overlap, class: m.Overlap, absent: true}
classes:
- class: m.Narrow
  section: model
  fields:
  - {name: layers, type: int, required: true}
  - {name: share, type: bool, default: true, until: 1.0.0}
  - {name: share, type: bool, default: false, since: 1.1.0}
- class: m.Wide
  section: model
  parent: m.Narrow
  fields:
  - {name: layers, type: int, default: 4}
  - {name: rate, type: "number?", default: 1.0e-05, since: head}
- class: m.Other
  section: model
  parent: m.Narrow
  fields:
  - {name: packing, type: "any?", default: null, holds: [m.Packing]}
- class: m.Overlap
  section: overlap
  fields:
  - {name: modules, type: list, default: [a, "1", 2, null]}
- class: m.Packing
  fields:
  - {name: size, type: int, computed: true}
)";

const std::string kMegatronLm = R"(versions: [1.0.0, head]
fields:
- {name: model.share, attribute: untie, inverted: true, type: bool, default: true, also: [ddp.share]}
- {name: mlm.x, type: "int?", default: null, since: head}
flags:
- {flags: [--untie, -u], sets: untie, action: store_true}
- {flags: [--x], sets: x, values: 2, type: int, choices: ["1", "2"], since: head}
- {flags: [--help], action: help}
)";

std::string compiled(const std::string& bridge,
                     const std::string& mlm,
                     std::vector<std::string>& messages) {
  const text::SourceFile bridge_file("bridge.yaml", bridge);
  const text::SourceFile mlm_file("mlm.yaml", mlm);
  std::vector<text::Diagnostic> problems;
  std::string table = compile_vocabulary(bridge_file, mlm_file, problems);
  for (const text::Diagnostic& problem : problems) {
    const auto at = problem.mark.start();
    messages.push_back(std::string(problem.mark.file->name()) + ":" + std::to_string(at.line) +
                       ": " + problem.message);
  }
  return table;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string stated_default(const Vocabulary& known, std::string_view name) {
  const FieldSpec* const field = known.find(name);
  if (field == nullptr) {
    return "-";
  }
  return field->has_default ? field->default_value.to_text() : "required";
}

}  // namespace

TEST_CASE("classes inherit, override, and nest") {
  std::vector<std::string> messages;
  const std::string table = compiled(kBridge, kMegatronLm, messages);
  REQUIRE(messages == std::vector<std::string>{});
  Vocabulary old = Vocabulary::load(Framework::bridge, "1.0.0", table);
  CHECK(stated_default(old, "model.layers") == "4");
  CHECK(stated_default(old, "model.share") == "true");
  CHECK(stated_default(old, "model.rate") == "-");
  CHECK(stated_default(old, "model.packing.size") == "unknown");  // of a class that nobody named
  CHECK(stated_default(old, "overlap.modules") == "[a, 1, 2, null]");
  CHECK(old.find("overlap.modules")->default_value.list()->at(1).text() != nullptr);
  CHECK_FALSE(old.has_section("env"));

  Vocabulary head = Vocabulary::load(Framework::bridge, "head", table);
  CHECK(stated_default(head, "model.share") == "false");
  CHECK(head.find("model.rate")->default_value == expr::Value::of(1e-5));
  CHECK(head.knows("env.ANY"));
  REQUIRE(head.use_class("model", "m.Other"));
  CHECK(stated_default(head, "model.layers") == "required");
  CHECK(stated_default(head, "model.share") == "false");
  CHECK(stated_default(head, "model.packing") == "null");
  CHECK(stated_default(head, "model.packing.size") == "unknown");
  CHECK(stated_default(head, "model.rate") == "-");
  CHECK(stated_default(head, "overlap") == "null");
  CHECK(head.classes_with("model.rate") == std::vector<std::string_view>{"Wide"});
  CHECK(head.classes_with("model.layers") == std::vector<std::string_view>{"Narrow"});
}

TEST_CASE("attributes and flags of a literal table") {
  std::vector<std::string> messages;
  const std::string table = compiled(kBridge, kMegatronLm, messages);
  REQUIRE(messages == std::vector<std::string>{});
  const Vocabulary head = Vocabulary::load(Framework::mlm, "head", table);
  CHECK(head.find_attribute("untie")->name == "model.share");
  CHECK(head.find("ddp.share") == head.find("model.share"));
  CHECK(head.flag("-u") == head.flag("--untie"));
  CHECK(head.flag("--x")->count == 2);
  CHECK(Vocabulary::load(Framework::mlm, "1.0.0", table).flag("--x") == nullptr);
}

TEST_CASE("what is wrong with a table is said with its place") {
  struct Row {
    bool bridge;
    const char* from;
    const char* to;
    const char* message;
  };

  const std::vector<Row> rows = {
      {true, "since: 1.1.0}", "since: 1.2.0}", "bridge.yaml:3: `1.2.0` is not a known version"},
      {true, "until: 1.0.0}", "until: head}", "field `share` is defined twice for one version"},
      {true,
       "since: head}",
       "since: head, until: 1.0.0}",
       "there is no version from head to 1.0.0"},
      {true, "type: int, default: 4", "type: integer, default: 4", "`integer` is not a type"},
      {true, "layers, type: int, default: 4", "layers, type: int", "needs one of default"},
      {true, "default: 4", "defualt: 4", "unknown key `defualt`"},
      {true,
       "[m.Packing]",
       "[m.Packng]",
       "class `m.Packng` is not described in every version that uses it"},
      {true, "parent: m.Narrow", "parent: m.Wide", "class `m.Wide` is its own parent"},
      {true,
       "- class: m.Narrow",
       "- class: m.Wide",
       "class `m.Wide` is defined twice for one version"},
      {true, "versions: [1.0.0, 1.1.0, head]", "versions: []", "the table has no versions"},
      {false, "sets: untie", "sets: unties", "mlm.yaml:6: the flag sets `unties`"},
      {false, "sets: x", "sets: y", "which is not a field in head"},
      {false, "[--x]", "[--untie]", "flag `--untie` is defined twice for one version"},
      {false, "values: 2", "values: none", "`none` is not a number of values"},
      {false, "action: store_true", "action: store", ""},
      {false, "action: store_true", "action: keep", "`keep` is not a flag action"},
      {false, "[ddp.share]", "[mlm.x]", "name `mlm.x` is defined twice for one version"},
      {false, "fields:", "fields: [", "mlm.yaml:"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.to));
    std::vector<std::string> messages;
    compiled(row.bridge ? replaced(kBridge, row.from, row.to) : kBridge,
             row.bridge ? kMegatronLm : replaced(kMegatronLm, row.from, row.to),
             messages);
    std::string all;
    for (const std::string& message : messages) {
      all += message + "\n";
    }
    CAPTURE(all);
    CHECK(all.empty() == std::string(row.message).empty());
    CHECK(all.find(row.message) != std::string::npos);
  }
}

}  // namespace epwise::recipe
