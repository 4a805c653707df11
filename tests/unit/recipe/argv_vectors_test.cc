// What Megatron-LM's launcher and parser answered (vectors/argv.jsonl, tests/README.md), row by row.
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text/source_file.h"
#include "recipe/arguments/arguments.h"
#include "recipe/arguments/model_args.h"
#include "support/evidence.h"
#include "support/vocabulary_table.h"
#include "yaml/parse.h"

namespace epwise::recipe {
namespace {

using nlohmann::json;

std::vector<json> argv_rows() {
  std::vector<json> out;
  if (!support::has_evidence("vectors/argv.jsonl")) {
    return out;
  }
  std::ifstream in(support::evidence("vectors/argv.jsonl"));
  for (std::string line; std::getline(in, line);) {
    out.push_back(json::parse(line));
  }
  return out;
}

json json_of_value(const expr::Value& value) {
  if (value.is_unset()) {
    return nullptr;
  }
  if (const auto* list = value.list()) {
    json items = json::array();
    for (const expr::Value& item : *list) {
      items.push_back(json_of_value(item));
    }
    return items;
  }
  if (const bool* truth = value.boolean()) {
    return *truth;
  }
  if (const std::int64_t* integer = value.integer()) {
    return *integer;
  }
  if (const double* real = value.real()) {
    return *real != *real ? json("nan") : (*real > 1e308 ? json("inf") : json(*real));
  }
  return value.to_text();
}

/// How the message of argparse begins for each of our rules.
const std::map<std::string, std::string> kMessages = {
    {"flags/unrecognized", "unrecognized arguments: "},
    {"flags/stray-word", "unrecognized arguments: "},
    {"flags/missing-value", "expected "},
    {"flags/bad-value", "invalid "},
    {"flags/unexpected-value", "ignored explicit argument "},
};

bool agrees(const text::Diagnostic& first, const std::string& error) {
  if (first.rule == "flags/bad-choice") {
    return error.find("invalid choice: ") != std::string::npos || error.substr(0, 8) == "KeyError";
  }
  const auto found = kMessages.find(first.rule);
  return found != kMessages.end() && error.find(found->second) != std::string::npos;
}

struct Answer {
  std::vector<Word> words;
  bool launcher_stops = false;
  text::SourceFile file;

  explicit Answer(const json& row) : file("a.yaml", text_of(row)) {
    if (row.contains("yaml")) {
      Environment environment = {{"HOME", "/root"}};
      const json variables = row.value("env", json::object());
      for (const auto& [name, value] : variables.items()) {
        environment[name] =
            value.is_null() ? std::nullopt : std::optional<std::string>(value.get<std::string>());
      }
      const yaml::Stream stream = yaml::parse(file);
      const ModelArgs args = read_model_args(stream.documents.at(0).root, environment);
      words = args.words;
      launcher_stops = !args.diagnostics.empty();
    } else {
      for (const auto& word : row["argv"]) {
        words.push_back({word.get<std::string>(), {}});
      }
    }
  }

  static std::string text_of(const json& row) {
    return row.contains("yaml")
               ? "TEST_TYPE: regular\nMODEL_ARGS:\n" + row["yaml"].get<std::string>()
               : "";
  }
};

const std::map<std::string, std::string> kOtherWords = {
    {"tilde: the eval expands ~ to the home folder", "the home folder is unknown here"},
    {"block list: yq prints several lines and each line is taken as a key: value pair of its own "
     "(by the yq port), nonsense argv",
     "recipe/list-lines says so, and the words are those that were meant"},
};

TEST_CASE("MODEL_ARGS become the words that the launcher makes of them") {
  for (const json& row : argv_rows()) {
    const std::string note = row["note"];
    if (!row.contains("yaml") || !row.contains("argv") || kOtherWords.count(note) > 0) {
      continue;
    }
    const Answer answer(row);
    std::vector<std::string> words;
    for (const Word& word : answer.words) {
      words.push_back(word.text);
    }
    CHECK_MESSAGE(words == row["argv"].get<std::vector<std::string>>(), note);
  }
}

TEST_CASE("the parser answers as argparse does") {
  const Vocabulary vocabulary = support::vocabulary(Framework::mlm, "head");
  int compared = 0;
  for (const json& row : argv_rows()) {
    const std::string note = row["note"];
    const std::string error = row.value("error", "");
    const bool validated = row.value("stage", "") == "parse_args+validate_args";
    if (error.substr(0, 9) == "launcher:" || kOtherWords.count(note) > 0) {
      continue;
    }
    const Answer answer(row);
    const Arguments arguments = parse_arguments(answer.words, parser_of(vocabulary));
    ++compared;
    if (!error.empty()) {
      REQUIRE_MESSAGE(!arguments.diagnostics.empty(), note);
      CHECK_MESSAGE(agrees(arguments.diagnostics.front(), error),
                    note,
                    ": ",
                    arguments.diagnostics.front().message);
      continue;
    }
    CHECK_MESSAGE(arguments.diagnostics.empty(), note);
    for (const auto& item : row["result"].items()) {
      const std::string& attribute = item.key();
      const json& wanted = item.value();
      const auto found = arguments.values.find(attribute);
      // What validation makes of it, and defaults, are not the parser's business.
      if (!validated && found != arguments.values.end()) {
        CHECK_MESSAGE(json_of_value(found->second.value) == wanted, note, ": ", attribute);
      }
    }
  }
  CHECK((compared == 0 || compared > 100));
}

TEST_CASE("the launcher stops where quotes are open; an unbound variable is no mistake here") {
  for (const json& row : argv_rows()) {
    if (row.value("error", "").substr(0, 9) == "launcher:") {
      CHECK(Answer(row).launcher_stops == (row["note"] == "single quote in a value: xargs fails"));
    }
  }
}

}  // namespace
}  // namespace epwise::recipe
