#include "advise/moves.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "advise/starter.h"
#include "lint/facts/target.h"
#include "lint/knowledge.h"
#include "lint/rule.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::advise {

namespace {

const lint::Knowledge& rules() {
  static const lint::Knowledge table = lint::load_knowledge();
  return table;
}

/// Whether any known version of any framework has the field.
bool exists(const std::string& field) {
  for (const auto framework : {recipe::Framework::bridge, recipe::Framework::mlm}) {
    for (const auto version : recipe::Vocabulary::versions(framework)) {
      if (recipe::Vocabulary::load(framework, version).find(field) != nullptr) {
        return true;
      }
    }
  }
  return false;
}

std::vector<std::string> problems_of(const std::string& moves, const std::string& guidance) {
  const text::SourceFile first("moves.yaml", moves);
  const text::SourceFile second("guidance.yaml", guidance);
  std::vector<text::Diagnostic> problems;
  read_knowledge(first, second, problems);
  std::vector<std::string> messages;
  for (const auto& problem : problems) {
    messages.push_back(problem.message);
  }
  return messages;
}

}  // namespace

TEST_CASE("every rule that advice names is one, and every field is some version's") {
  const Knowledge& known = knowledge();
  REQUIRE(known.axes.size() > 10);
  for (const std::string& id : known.quick) {
    CHECK_MESSAGE(rules().find(id) != nullptr, id);
  }
  for (const Axis& axis : known.axes) {
    for (const Move& move : axis.moves) {
      for (const Need& need : move.needs) {
        CHECK_MESSAGE(rules().find(need.rule) != nullptr, need.rule);
      }
      for (const std::string& id : move.launch) {
        CHECK_MESSAGE(rules().find(id) != nullptr, id);
      }
      for (const Setting& setting : move.sets) {
        for (const std::string& field : setting.fields) {
          CHECK_MESSAGE(
              (field.starts_with("env.") ? rules().names.find(field).has_value() : exists(field)),
              field);
        }
      }
      for (const Setting& setting : move.legacy) {
        for (const std::string& field : setting.fields) {
          CHECK_MESSAGE(exists(field), field);
        }
      }
      for (const std::string& field : move.drops) {
        CHECK_MESSAGE(exists(field), field);
      }
    }
  }
}

TEST_CASE("every setting has its rule of rules/price/, and every such rule a setting") {
  const auto& priced_settings = knowledge().priced_settings;
  for (const PricedSetting& setting : priced_settings) {
    REQUIRE_MESSAGE(rules().find(setting.rule) != nullptr, setting.rule);
    CHECK_MESSAGE(rules().find(setting.rule)->builtin, setting.rule);
    CHECK_MESSAGE((setting.lost.empty() || rules().find(setting.lost) != nullptr), setting.lost);
  }
  for (const lint::Rule& rule : rules().rules) {
    if (lint::is_priced(rule)) {
      CHECK_MESSAGE(std::ranges::find(priced_settings, rule.id, &PricedSetting::rule) !=
                        priced_settings.end(),
                    rule.id);
    }
  }
}

TEST_CASE(
    "every rule that a purpose settles exists and offers a change, and purposes are those of a "
    "run") {
  REQUIRE(knowledge().purposes.size() >= 3);
  for (const PurposeAdvice& purpose : knowledge().purposes) {
    CHECK_MESSAGE(std::ranges::find(facts::kPurposes, purpose.name) != facts::kPurposes.end(),
                  purpose.name);
    CHECK_FALSE(purpose.procedure.empty());
    for (const std::string& id : purpose.settles) {
      REQUIRE_MESSAGE(rules().find(id) != nullptr, id);
      const auto& fixes = rules().find(id)->prose->fixes;
      REQUIRE_MESSAGE(!fixes.empty(), id);
      CHECK_MESSAGE(!fixes.front().changes.empty(), id);
    }
  }
}

TEST_CASE("what does not divide is named with the nearest numbers that do") {
  Start start;
  const auto mixtral = std::ranges::find(knowledge().models, "mixtral-8x7b", &KnownModel::name);
  REQUIRE(mixtral != knowledge().models.end());
  start.model = *mixtral;
  start.hw = hw::find_profile("h100");
  start.gpus = 56;
  start.expert = 7;
  CHECK(indivisible(start) ==
        "the 8 experts of mixtral-8x7b are not a multiple of 7 expert ranks; 4 and 8 would divide "
        "them");
  start.expert = 8;
  CHECK(indivisible(start).empty());
  start.gpus = 63;
  CHECK(indivisible(start) == "63 GPUs are not a multiple of 8 expert ranks; 56 and 64 GPUs are");
}

TEST_CASE("the sizes of known models come to their published parameters") {
  constexpr double kBillion = 1e9;
  REQUIRE(knowledge().models.size() >= 10);
  for (const KnownModel& model : knowledge().models) {
    CAPTURE(model.name);
    CHECK(parameters_of(model) / kBillion == doctest::Approx(model.total).epsilon(0.02));
  }
}

TEST_CASE("a model without its sizes is told with its line") {
  std::vector<text::Diagnostic> problems;
  const text::SourceFile file("m.yaml", "models:\n  - {name: a, source: b, sizes: {layers: 0}}\n");
  read_models(file, problems);
  REQUIRE(problems.size() >= 2);
  CHECK(std::ranges::any_of(problems, [](const text::Diagnostic& problem) {
    return problem.message.find("layers must be a number above 0") != std::string::npos &&
           problem.mark.start().line == 2;
  }));
}

TEST_CASE("published runs have a source, a date and two figures, and mistakes in them are told") {
  REQUIRE(knowledge().published.size() >= 8);
  for (const PublishedRuns& runs : knowledge().published) {
    CAPTURE(runs.model);
    CHECK(runs.runs.size() >= 2);
    CHECK(runs.ratio(runs.runs.front().dispatcher, runs.runs.back().dispatcher) > 0);
    CHECK(runs.ratio("alltoall", "carrier pigeons") == 0);
    for (const PublishedRun& run : runs.runs) {
      CHECK(knowledge().axis("dispatcher")->find(run.dispatcher) >= 0);
    }
  }
  std::vector<text::Diagnostic> problems;
  const text::SourceFile file("p.yaml",
                              "comparisons:\n  - {model: a, sizes: {}, hw: h, architecture: H, "
                              "precision: p, unit: furlongs, runs: {a: 1}, source: s, date: d, "
                              "status: guessed}\n");
  read_published(file, problems);
  const auto told = [&](const char* part) {
    return std::ranges::any_of(problems, [&](const text::Diagnostic& problem) {
      return problem.message.find(part) != std::string::npos;
    });
  };
  CHECK(told("`furlongs` is not a unit"));
  CHECK(told("`guessed` is not a status"));
  CHECK(told("needs two runs"));
}

TEST_CASE("a speed-up is of the second run in every unit") {
  PublishedRuns runs;
  runs.runs = {{"a", 10}, {"b", 8}};
  CHECK(runs.ratio("a", "b") == doctest::Approx(1.25));
  runs.unit = PublishedUnit::tflops;
  CHECK(runs.ratio("a", "b") == doctest::Approx(0.8));
}

TEST_CASE("documents on a model family are found by its sizes") {
  const auto family = [](const ModelSizes& sizes, bool vision) {
    const auto found = std::ranges::find_if(
        knowledge().families, [&](const ModelFamily& each) { return each.holds(sizes, vision); });
    return found == knowledge().families.end() ? std::string() : found->name;
  };
  CHECK(family({94, 4096, 128, 8}, false) == "Qwen3 235B");
  CHECK(family({94, 4096, 128, 8}, true) == "vision-language models");
  CHECK(family({61, 7168, 256, 8}, false) == "DeepSeek-V3");
  CHECK(family({1, 2, 3, 4}, false).empty());
}

TEST_CASE("what is packed is what is unpacked") {
  const Knowledge& known = knowledge();
  CHECK(pack(unpack(pack(known))) == pack(known));
  CHECK_THROWS(unpack(pack(known) + "x"));
}

TEST_CASE("every constant that a measurement settles is one, and every term of a wall too") {
  CHECK_FALSE(knowledge().measurements.empty());
  CHECK(knowledge().walls.size() == 4);
  for (const Rung& rung : knowledge().ladder) {
    REQUIRE(knowledge().axis(rung.axis) != nullptr);
  }
}

TEST_CASE("mistakes in the files are told with what is wrong") {
  const std::string guidance =
      "dispatchers: {}\nwalls: []\nmemory_wall: x\nladder: []\npriced_settings: []\npurposes: "
      "[]\nmeasurements: []\notherwise: x\n";
  const auto has = [](const std::vector<std::string>& all, const std::string& part) {
    return std::ranges::any_of(
        all, [&](const std::string& each) { return each.find(part) != std::string::npos; });
  };
  CHECK(has(problems_of("quick: []\naxes: {a: {group: g, what: w, order: 1, check: c, risk: wild, "
                        "because: b, field: x, values: [1, 2]}}\n",
                        guidance),
            "`wild` is not a risk level"));
  CHECK(has(problems_of("quick: []\naxes: {a: {group: g, what: w, order: 1, check: c, risk: low, "
                        "because: b, field: x, values: [1]}}\n",
                        guidance),
            "fewer than two moves"));
  CHECK(has(problems_of("quick: []\naxes: {a: {group: g, what: w, order: 1, check: c, risk: low, "
                        "because: b, field: x, values: [1, 2], with: {b: [1]}}}\n",
                        guidance),
            "which is not an axis"));
  CHECK(problems_of("quick: []\naxes: {a: {group: g, what: w, order: 1, check: c, risk: low, "
                    "because: b, field: x, values: [1, null]}}\n",
                    guidance)
            .empty());
}

}  // namespace epwise::advise
