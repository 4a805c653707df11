// A wrong word in every field and flag that knows its words, of every version: each command that
// reads recipes tells it and goes on.

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "commands/lsp/message_queue.h"
#include "recipe/vocabulary/vocabulary.h"
#include "support/app_run.h"
#include "support/sampling.h"

namespace epwise {

namespace {

using recipe::Framework;
using recipe::Vocabulary;
using support::AppRun;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// No word of any field, a number, an empty text, and nothing.
const Words kWrong = {"no_such_word", "7", "''", "null"};

struct Sheet {
  std::string path;
  std::string text;
};

std::string megatron_recipe(std::string_view flag, const std::string& word) {
  return "MODEL_ARGS:\n  --num-layers: 4\n  --hidden-size: 1024\n  --num-attention-heads: 16\n"
         "  --seq-length: 4096\n  --max-position-embeddings: 4096\n  --vocab-size: 32000\n"
         "  --micro-batch-size: 1\n  --global-batch-size: 64\n  " +
         std::string(flag) + ": " + word + "\n";
}

std::string bridge_recipe(const std::string& field, const std::string& word) {
  std::map<std::string, std::string> sections = {
      {"model", "num_layers: 4, hidden_size: 1024, num_attention_heads: 16, seq_length: 4096"},
      {"train", "micro_batch_size: 1, global_batch_size: 64"}};
  const auto dot = field.find('.');
  std::string text;
  if (dot == std::string::npos) {
    text = field + ": " + word + "\n";
  } else {
    std::string& inside = sections[field.substr(0, dot)];
    std::string key = field.substr(dot + 1);
    std::string closing;
    for (auto next = key.find('.'); next != std::string::npos; next = key.find('.', next + 3)) {
      key.replace(next, 1, ": {");
      closing += '}';
    }
    inside += (inside.empty() ? "" : ", ") + key + ": " + word + closing;
  }
  for (const auto& [name, inside] : sections) {
    text += name + ": {" + inside + "}\n";
  }
  return text;
}

/// What has been tried: names of fields with their words.
using Tried = std::set<std::string>;

bool is_new(Tried* tried, std::string_view name, const std::vector<std::string_view>& choices) {
  std::string key(name);
  for (const std::string_view choice : choices) {
    key.append(" ").append(choice);
  }
  return !choices.empty() && (tried == nullptr || tried->insert(std::move(key)).second);
}

/// One file for each field and word, but for what has been tried.
std::vector<Sheet> sheets(const Vocabulary& vocabulary,
                          const Words& words,
                          Tried* tried = nullptr) {
  std::vector<Sheet> all;
  const auto add = [&](std::string_view name, auto make) {
    for (std::size_t word = 0; word < words.size(); ++word) {
      all.push_back({std::string(name) + "-" + std::to_string(word) + ".yaml", make(words[word])});
    }
  };
  for (const recipe::Flag& flag : vocabulary.flags()) {
    if (is_new(tried, flag.spellings.front(), flag.choices)) {
      add(flag.spellings.front().substr(2),
          [&](const std::string& word) { return megatron_recipe(flag.spellings.front(), word); });
    }
  }
  const bool bridge = vocabulary.framework() == Framework::bridge;
  for (const recipe::FieldSpec& field : vocabulary.fields()) {
    if (bridge && is_new(tried, field.name, field.choices)) {
      add(field.name,
          [&](const std::string& word) { return bridge_recipe(std::string(field.name), word); });
    }
  }
  return all;
}

Words line(const std::string& command, const Vocabulary& vocabulary, const Words& options) {
  const std::string stack = std::string(recipe::to_string(vocabulary.framework())) + "=";
  Words words{command, "--gpus", "8", "--hw", "h100", "--stack", stack};
  words.back() += vocabulary.version();
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

void put(const std::vector<Sheet>& all, AppRun& app, Words& words) {
  for (const Sheet& sheet : all) {
    app.files.put(sheet.path, sheet.text);
    words.push_back(sheet.path);
  }
}

void expect_no_failure(const AppRun& app) {
  CHECK(app.code >= 0);
  CHECK(app.code < 2);
  CHECK(app.err.find("internal error") == std::string::npos);
}

/// Of each file the ids of its findings.
std::map<std::string, Words> linted(const std::vector<Sheet>& all, const Vocabulary& vocabulary) {
  AppRun app;
  Words words = line("lint", vocabulary, {"--format", "json"});
  put(all, app, words);
  app.run(words);
  expect_no_failure(app);
  std::map<std::string, Words> found;
  const Json report = Json::parse(app.out);
  for (const Json& file : report["files"]) {
    Words& ids = found[file["path"]];
    for (const Json& finding : file["findings"]) {
      ids.push_back(finding["rule"]);
    }
  }
  return found;
}

/// How many of the files an editor gets diagnostics of.
std::size_t edited(const std::vector<Sheet>& all, const Vocabulary& vocabulary) {
  std::ostringstream in;
  const auto send = [&in](const Json& message) { lsp::write_frame(in, message.dump()); };
  const Json capabilities = {{"textDocument", {{"diagnostic", Json::object()}}}};
  send({{"id", 0}, {"method", "initialize"}, {"params", {{"capabilities", capabilities}}}});
  int number = 0;
  for (const Sheet& sheet : all) {
    const std::string uri = "file:///" + sheet.path;
    const Json document = {
        {"uri", uri}, {"languageId", "yaml"}, {"version", 1}, {"text", sheet.text}};
    const Json place = {{"textDocument", {{"uri", uri}}}};
    send({{"method", "textDocument/didOpen"}, {"params", {{"textDocument", document}}}});
    send({{"id", ++number}, {"method", "textDocument/diagnostic"}, {"params", place}});
    send({{"method", "textDocument/didClose"}, {"params", place}});
  }
  send({{"id", ++number}, {"method", "shutdown"}});
  send({{"method", "exit"}});
  AppRun app;
  app.input = in.str();
  app.run(line("lsp", vocabulary, {}));
  CHECK(app.code == 0);
  CHECK(app.err.empty());
  std::size_t told = 0;
  std::istringstream out(app.out);
  for (auto frame = lsp::read_frame(out); !frame.content.empty(); frame = lsp::read_frame(out)) {
    const Json said = Json::parse(frame.content);
    if (said.contains("result") && said["result"].is_object() && said["result"].contains("items")) {
      ++told;
    }
  }
  return told;
}

/// Every `rounds`-th of them.
std::vector<Sheet> every(int rounds, const std::vector<Sheet>& all) {
  std::vector<Sheet> some;
  for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(rounds)) {
    some.push_back(all[i]);
  }
  return some;
}

struct Release {
  Framework framework;
  std::string version;
};

const std::vector<Release>& versions() {
  static const auto kAll = [] {
    std::vector<Release> all;
    for (const Framework framework : {Framework::bridge, Framework::mlm}) {
      for (const std::string_view version : Vocabulary::versions(framework)) {
        all.push_back({framework, std::string(version)});
      }
    }
    return all;
  }();
  return kAll;
}

}  // namespace

TEST_CASE("Lint tells a wrong word in any field that knows its words") {
  // Under the sanitizers each field once, and again where a version knows other words.
  Tried tried;
  Tried* const known = test::sanitized_share(2) > 1 ? &tried : nullptr;
  for (const Release& release : versions()) {
    CAPTURE(release.version);
    const auto vocabulary = Vocabulary::load(release.framework, release.version);
    // Five, for four words a field: a share has every word.
    const auto all = every(test::share(10), sheets(vocabulary, kWrong, known));
    CHECK((known != nullptr || all.size() > 100 / static_cast<std::size_t>(test::share(10))));
    if (all.empty()) {
      continue;
    }
    const auto found = linted(all, vocabulary);
    CHECK(found.size() == all.size());
    for (const auto& each : found) {
      const std::string& path = each.first;
      // Fields of a section in a section belong to a class that these recipes do not name.
      const bool nested = std::ranges::count(path, '.') > 2;
      if (path.ends_with("-0.yaml") && !nested) {  // kWrong.front()
        CAPTURE(path);
        CHECK_FALSE(each.second.empty());
      }
    }
  }
}

TEST_CASE("A wrong word for a flag that no rule reads is told as any other") {
  AppRun app;
  CHECK(app.run({"lint",
                 "--format",
                 "concise",
                 "--",
                 "--num-layers",
                 "2",
                 "--distributed-backend",
                 "foo"}) == 1);
  CHECK(app.out.find("FLG001") != std::string::npos);
}

TEST_CASE("A gate and a simulation go on behind a wrong word") {
  Tried tried;
  for (const Release& release : versions()) {
    CAPTURE(release.version);
    const auto vocabulary = Vocabulary::load(release.framework, release.version);
    const auto all = every(test::share(6), sheets(vocabulary, kWrong, &tried));
    for (const char* command : {"gate", "simulate"}) {
      CAPTURE(command);
      AppRun app;
      Words words = line(command, vocabulary, {});
      if (all.empty()) {
        continue;
      }
      put(all, app, words);
      app.run(words);
      expect_no_failure(app);
    }
  }
}

TEST_CASE("An editor gets diagnostics of a text with a wrong word") {
  Tried tried;
  for (const Release& release : versions()) {
    CAPTURE(release.version);
    const auto vocabulary = Vocabulary::load(release.framework, release.version);
    const auto all = sheets(vocabulary, kWrong, &tried);
    CHECK(edited(all, vocabulary) == all.size());
  }
}

TEST_CASE("Advice is given or refused for a recipe with a wrong word") {
  int number = 0;
  for (const Framework framework : {Framework::bridge, Framework::mlm}) {
    const auto vocabulary = Vocabulary::load(framework, "head");
    for (const Sheet& sheet : sheets(vocabulary, {kWrong.front(), "null"})) {
      if (++number % test::share(10) != 0) {
        continue;
      }
      CAPTURE(sheet.text);
      AppRun app;
      Words words = line("advise", vocabulary, {"--top", "1", "--may-change", "dispatcher"});
      put({sheet}, app, words);
      app.run(words);
      expect_no_failure(app);
    }
  }
}

}  // namespace epwise
