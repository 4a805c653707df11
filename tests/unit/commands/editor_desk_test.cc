#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "commands/lsp/editor_service.h"
#include "commands/lsp/message_queue.h"
#include "support/app_run.h"

using epwise::support::AppRun;
using Json = nlohmann::ordered_json;

namespace {

const std::string kRecipe = "model: {num_layers: 4, tensor_model_parallel_size: 4}\n";

/// One session about /r/a.yaml: the messages of its diagnostics, as a client that pulls them gets.
std::vector<std::string> messages(AppRun& app,
                                  const std::vector<std::string>& options,
                                  const Json& settings,
                                  const std::string& text) {
  const Json capabilities = {{"textDocument", {{"diagnostic", Json::object()}}}};
  const Json document = {
      {"uri", "file:///r/a.yaml"}, {"languageId", "yaml"}, {"version", 1}, {"text", text}};
  std::ostringstream in;
  for (const Json& message :
       {Json{{"id", 0},
             {"method", "initialize"},
             {"params", {{"capabilities", capabilities}, {"initializationOptions", settings}}}},
        Json{{"method", "textDocument/didOpen"}, {"params", {{"textDocument", document}}}},
        Json{{"id", 1},
             {"method", "textDocument/diagnostic"},
             {"params", {{"textDocument", {{"uri", "file:///r/a.yaml"}}}}}},
        Json{{"id", 2}, {"method", "shutdown"}},
        Json{{"method", "exit"}}}) {
    epwise::lsp::write_frame(in, message.dump());
  }
  app.input = in.str();
  std::vector<std::string> words{"lsp", "--select", "shape/world-size"};
  words.insert(words.end(), options.begin(), options.end());
  CHECK(app.run(words) == 0);
  CHECK(app.err.empty());
  std::istringstream out(app.out);
  std::vector<std::string> found;
  for (auto frame = epwise::lsp::read_frame(out); !frame.content.empty();
       frame = epwise::lsp::read_frame(out)) {
    const Json said = Json::parse(frame.content);
    if (said.contains("id") && said["id"] == 1) {
      for (const Json& item : said["result"]["items"]) {
        found.push_back(item["message"]);
      }
    }
  }
  return found;
}

std::vector<std::string> for_gpus(int gpus) {
  return {"TP 4 × PP 1 × CP 1 = 4 does not divide " + std::to_string(gpus) + " GPUs"};
}

}  // namespace

TEST_CASE("The editor's settings win over options, those over the header, that over the file") {
  AppRun app;
  app.files.put("/r/.epwise.yaml", "gpus: 5\n");
  const std::string headed = "# epwise: --gpus 6\n" + kRecipe;
  CHECK(messages(app, {}, nullptr, kRecipe) == for_gpus(5));
  CHECK(messages(app, {}, nullptr, headed) == for_gpus(6));
  CHECK(messages(app, {"--gpus", "7"}, nullptr, headed) == for_gpus(7));
  CHECK(messages(app, {"--gpus", "7"}, {{"gpus", 9}}, headed) == for_gpus(9));
  CHECK(messages(app, {"--config", "none"}, nullptr, kRecipe).empty());
  CHECK(messages(app, {}, {{"config", "none"}}, kRecipe).empty());
  CHECK(app.files.writes.empty());
}

TEST_CASE("A header or configuration that is wrong is said at the recipe, at nothing else") {
  AppRun app;
  const auto wrong = messages(app, {}, nullptr, "# epwise: --gpsu 6\n" + kRecipe);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong.front().find("--gpus") != std::string::npos);  // what was meant
  CHECK(messages(app, {}, nullptr, "# epwise: --gpsu 6\nservices: {a: 1}\n").empty());
  app.files.put("/r/.epwise.yaml", "gpsu: 5\n");
  CHECK(messages(app, {}, nullptr, kRecipe).size() == 1);
  CHECK(messages(app, {}, nullptr, "services: {a: 1}\n").empty());
}

TEST_CASE("What is accepted for a gate is accepted in an editor") {
  AppRun app;
  app.files.put("/r/.epwise.yaml", "gpus: 5\n");
  app.files.put("/r/a.yaml", kRecipe);
  REQUIRE(messages(app, {}, nullptr, kRecipe) == for_gpus(5));
  CHECK(messages(app, {}, nullptr, "# epwise: ignore-file[shape/world-size]: known\n" + kRecipe)
            .empty());
  CHECK(messages(app, {}, nullptr, "# epwise: ignore-file[shape/experts]: known\n" + kRecipe)
            .size() >= 1);
  REQUIRE(app.run({"baseline",
                   "write",
                   "r/known.yaml",
                   "r/a.yaml",
                   "--select",
                   "shape/world-size",
                   "--reason",
                   "old"}) == 0);
  app.files.put("/r/.epwise.yaml", "gpus: 5\nbaseline: known.yaml\n");
  CHECK(messages(app, {}, nullptr, kRecipe).empty());
  app.files.put("/r/.epwise.yaml", "gpus: 6\nbaseline: known.yaml\n");
  CHECK(messages(app, {}, nullptr, kRecipe) == for_gpus(6));
}
