// The laws against the Python reference's answers, with the reference's own parameters
// (reference.py writes the answers).

#include <cmath>
#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/os/disk_files.h"
#include "perf/cost/question.h"
#include "perf/cost/table.h"

namespace epwise::cost {

namespace {

using Json = nlohmann::ordered_json;

const std::string kFolder = "tests/unit/cost/";

Table reference_table() {
  const os::DiskFiles files;
  std::deque<text::SourceFile> sources;
  std::vector<TableEntry> entries;
  std::vector<text::Diagnostic> problems;
  for (const std::string& name : files.list(kFolder + "reference_tables")) {
    const std::string path = kFolder + "reference_tables/" + name;
    sources.emplace_back(path, files.read(path));
    for (TableEntry& entry : read_entries(sources.back(), problems)) {
      entries.push_back(std::move(entry));
    }
  }
  auto table = make_table(unpack_entries(pack_entries(entries)), problems);
  for (const auto& problem : problems) {
    FAIL_CHECK(problem.message);
  }
  REQUIRE(table);
  return *std::move(table);
}

std::string text_of(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return value.dump();
}

Question question_of(const Json& line) {
  Question question;
  for (const auto& [name, value] : line.items()) {
    if (name == "law") {
      question.law = value.get<std::string>();
    } else if (name != "answer") {
      question.arguments.push_back({name, text_of(value)});
    }
  }
  return question;
}

bool near(double ours, double theirs) {
  return std::fabs(ours - theirs) <= 1e-9 * std::fabs(theirs);
}

}  // namespace

TEST_CASE("with the reference's parameters the laws give the reference's answers") {
  const Table table = reference_table();
  std::istringstream lines(os::DiskFiles().read(kFolder + "reference_answers.jsonl"));
  std::size_t asked = 0;
  for (std::string line; std::getline(lines, line); ++asked) {
    CAPTURE(line);
    const Json json = Json::parse(line);
    const Answer ours = answer(table, question_of(json));
    for (const std::string& problem : ours.problems) {
      FAIL_CHECK(problem);
    }
    if (!ours.cost) {
      continue;
    }
    const Json& theirs = json["answer"];
    CHECK(near(ours.cost->seconds, theirs["seconds"].get<double>()));
    if (ours.cost->seconds > 0) {  // nothing that runs is certain here
      CHECK(near(ours.cost->relative_sd, theirs["relative_sd"].get<double>()));
    }
    CHECK(to_string(ours.cost->status) == theirs["status"].get<std::string>());
  }
  CHECK(asked > 400);
}

}  // namespace epwise::cost
