#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "commands/explore/answers.h"
#include "hw/device.h"
#include "session/options/arguments.h"
#include "support/app_run.h"
#include "support/example_file.h"
#include "support/memory_files.h"
#include "ui/console.h"

namespace epwise::explore {
namespace {

/// A page on examples/seeds/q30-ep16-off.yaml, on 16 H100.
class Opening {
 public:
  using Options = std::vector<std::pair<std::string, std::string>>;

  explicit Opening(const Options& options = {{"--hw", "h100"}, {"--gpus", "16"}}) {
    for (const auto& [name, value] : options) {
      arguments_.add(name, {value, name});
    }
  }

  Answer post(const std::string& path, const Json& body) {
    return explorer_.answer(
        {"POST", path, "t0k", "127.0.0.1:1", "", "application/json", body.dump()});
  }

  Json json(const std::string& path, const Json& body) {
    return Json::parse(post(path, body).body);
  }

  Json look(const std::string& text) { return json("/api/look", {{"text", text}}); }

  Answer send(const Request& request) { return explorer_.answer(request); }

  /// The last state of a search.
  Json finished(const std::string& what) {
    constexpr int kMost = 15000;  // five minutes, for a busy machine under the sanitizers
    for (int i = 0; i < kMost; ++i) {
      Json state = json("/api/progress", {{"what", what}});
      if (state["state"] != "running") {
        return state;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
  }

 private:
  support::MemoryFiles files_;
  support::MemoryVariables variables_{{{"EPWISE_TODAY", "2026-11-26"}}};
  support::GivenDevices devices_;
  std::istringstream in_;
  std::ostringstream out_;
  std::ostringstream err_;
  session::Arguments arguments_;
  cli::Console console_{in_, out_, err_, files_, variables_, {}, devices_};
  Explorer explorer_{console_, arguments_, {"r.yaml", support::seed("q30-ep16-off")}, "t0k"};
};

std::string recipe() {
  return support::seed("q30-ep16-off");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

const Json* control(const Json& look, const std::string& axis) {
  for (const Json& each : look["controls"]) {
    if (each["axis"] == axis) {
      return &each;
    }
  }
  return nullptr;
}

TEST_CASE("the page begins with the recipe that was opened") {
  Opening page;
  const Json start = page.json("/api/start", Json::object());
  CHECK(start["path"] == "r.yaml");
  CHECK(start["text"] == recipe());
  CHECK(start["terms"]["dispatch"] == "exposed dispatch");
  CHECK(start["hardware"].size() >= 8);
}

TEST_CASE("an answer is what lint and simulate say as JSON, on the same text") {
  Opening page;
  const Json answer = page.look(recipe());
  support::AppRun run;
  run.variables = {{"EPWISE_TODAY", "2026-11-26"}};
  run.files.put("r.yaml", recipe());
  run.run({"simulate", "r.yaml", "--hw", "h100", "--gpus", "16", "--force", "-f", "json"});
  CHECK(answer["simulate"] == Json::parse(run.out));
  run.run({"lint", "r.yaml", "--hw", "h100", "--gpus", "16", "-f", "json"});
  const Json lint = Json::parse(run.out)["files"][0];
  REQUIRE(answer["lint"]["files"].size() == 1);
  const Json& file = answer["lint"]["files"][0];
  CHECK(file["launch"] == lint["launch"]);
  REQUIRE(file["findings"].size() == lint["findings"].size());
  for (std::size_t i = 0; i < lint["findings"].size(); ++i) {
    CHECK(file["findings"][i]["code"] == lint["findings"][i]["code"]);
    CHECK(file["findings"][i]["line"] == lint["findings"][i]["line"]);
  }
  CHECK(answer["target"]["hw"] == "h100");
  CHECK(answer["needed_gib"].size() == answer["simulate"]["files"][0]["memory"]["stages"].size());
}

TEST_CASE("a changed text has other findings") {
  Opening page;
  const std::string wrong =
      replaced(recipe(), "expert_model_parallel_size: 16", "expert_model_parallel_size: 7");
  const Json answer = page.look(wrong);
  CHECK(answer["lint"]["files"][0]["launch"]["verdict"] == "rejects");
  CHECK(page.look(recipe())["lint"]["files"][0]["launch"]["verdict"] != "rejects");
}

TEST_CASE("the target of the page counts more than options") {
  Opening page;
  const Json answer = page.json("/api/look", {{"text", recipe()}, {"hw", "gb200"}, {"gpus", 64}});
  CHECK(answer["target"]["hw"] == "gb200");
  CHECK(answer["target"]["gpus"] == 64);
  CHECK(answer["target"]["text"].get<std::string>().find("the page") != std::string::npos);
  CHECK(page.look(recipe())["target"]["hw"] == "h100");
}

bool is_refused(const Json& control, const Json& move) {
  return std::ranges::any_of(control["refused"],
                             [&](const Json& each) { return each["move"] == move; });
}

TEST_CASE("moves that can only fail are refused with the reason") {
  Opening page;
  const Json answer = page.json("/api/moves", {{"text", recipe()}});
  const auto refused = [&](const std::string& axis, const std::string& move) {
    for (const Json& each : (*control(answer, axis))["refused"]) {
      if (each["move"] == move) {
        return each["why"].get<std::string>();
      }
    }
    return std::string();
  };
  const auto offers = [&](const std::string& axis, const std::string& move) {
    const Json& moves = (*control(answer, axis))["moves"];
    return std::ranges::find(moves, Json(move)) != moves.end() && refused(axis, move).empty();
  };
  CHECK(refused("expert", "256").find("(PAR") != std::string::npos);
  CHECK(refused("precision", "nvfp4").find("(PRC006)") != std::string::npos);
  CHECK(refused("virtual", "2").find("(PAR014)") != std::string::npos);
  CHECK(refused("tensor_overlap", "on").find("tp_comm_overlap") != std::string::npos);
  CHECK(!offers("recompute", "projections"));  // the model has neither MLA
  CHECK(!offers("recompute", "dense"));        // nor dense layers
  CHECK(!offers("recompute", "shared"));       // nor shared experts
  CHECK(offers("recompute", "activation"));
  CHECK(offers("dispatcher", "allgather"));
  const Json set = page.json("/api/set", {{"text", recipe()}, {"axis", "expert"}, {"move", "256"}});
  CHECK(set["problem"].get<std::string>().find("(PAR") != std::string::npos);
}

TEST_CASE("a move brings the changes that it needs") {
  Opening page;
  const Json graphs =
      page.json("/api/set", {{"text", recipe()}, {"axis", "graphs"}, {"move", "attention"}});
  CHECK(graphs["text"].get<std::string>().find("te_rng_tracker: true") != std::string::npos);
  CHECK(std::ranges::any_of(graphs["with"], [](const Json& field) {
    return field.get<std::string>().ends_with("te_rng_tracker");
  }));
  const Json tensor =
      page.json("/api/set", {{"text", recipe()}, {"axis", "tensor"}, {"move", "2"}});
  CHECK(tensor["text"].get<std::string>().find("sequence_parallel: true") != std::string::npos);
}

TEST_CASE("of two names of a setting the one with a value is changed") {
  Opening page;
  const std::string text =
      replaced(replaced(recipe(),
                        "moe_token_dispatcher_type: alltoall",
                        "moe_token_dispatcher_type: flex\n  moe_flex_dispatcher_backend: hybridep"),
               "  expert_model_parallel_size: 16",
               "  expert_model_parallel_size: 16\n  moe_flex_dispatcher_num_sms: null\n"
               "  moe_hybridep_num_sms: 32");
  const Json set =
      page.json("/api/set", {{"text", text}, {"axis", "hybridep_sms"}, {"move", "40"}});
  REQUIRE(set.contains("text"));
  CHECK(set["text"] == replaced(text, "moe_hybridep_num_sms: 32", "moe_hybridep_num_sms: 40"));
  CHECK((*control(page.look(set["text"]), "hybridep_sms"))["present"] == "40");
}

TEST_CASE("where the batch follows the data-parallel ranks, their number stays") {
  Opening page(Opening::Options{{"--hw", "h100"}});
  const Json answer = page.json(
      "/api/moves",
      {{"text",
        "prompt_length: 2048\nresponse_length: 4096\npretrain: Qwen/Qwen3-30B-A3B\nactor_train:\n"
        "  training_args: {per_device_train_batch_size: 1, gradient_accumulation_steps: 32}\n"
        "  strategy_args:\n    strategy_name: megatron_train\n    strategy_config:\n"
        "      tensor_model_parallel_size: 2\n      sequence_parallel: true\n"
        "      expert_model_parallel_size: 8\n  device_mapping: list(range(0,32))\n"}});
  CHECK(control(answer, "expert") != nullptr);
  CHECK(control(answer, "dispatcher") != nullptr);
  for (const char* axis : {"tensor", "pipeline", "context", "micro_batch"}) {
    CHECK_MESSAGE(control(answer, axis) == nullptr, axis);
  }
}

TEST_CASE("without a GPU moves are judged too") {
  Opening page(Opening::Options{});
  const Json answer = page.json("/api/moves", {{"text", recipe()}});
  CHECK(control(answer, "dispatcher") != nullptr);
}

TEST_CASE("a fix is offered where it resolves the finding") {
  Opening page;
  const std::string wrong =
      replaced(recipe(), "expert_model_parallel_size: 16", "expert_model_parallel_size: 7");
  const Json before = page.look(wrong);
  for (std::size_t i = 0; i < before["lint"]["files"][0]["findings"].size(); ++i) {
    const Json offer = page.json("/api/offer", {{"text", wrong}, {"finding", i}});
    const Json answer = page.json("/api/fix", {{"text", wrong}, {"finding", i}});
    CHECK(offer["title"].is_string() == answer.contains("text"));
  }
}

TEST_CASE("every move of a control leads to a text that has it, with comments kept") {
  Opening page;
  const std::string text = "# why: kept\n" + recipe();
  const Json answer = page.json("/api/moves", {{"text", text}});
  REQUIRE(answer["controls"].size() >= 8);
  for (const Json& each : answer["controls"]) {
    for (const Json& move : each["moves"]) {
      if (move == each["present"] || is_refused(each, move)) {
        continue;
      }
      const Json set =
          page.json("/api/set", {{"text", text}, {"axis", each["axis"]}, {"move", move}});
      CAPTURE(each.dump());
      CAPTURE(move.dump());
      REQUIRE(set.contains("text"));
      const std::string changed = set["text"];
      CHECK(changed.find("# why: kept") != std::string::npos);
      CHECK(changed != text);
      const Json after = page.look(changed);
      REQUIRE(control(after, each["axis"]) != nullptr);
      CHECK((*control(after, each["axis"]))["present"] == move);
      for (const Json& finding : after["lint"]["files"][0]["findings"]) {
        const std::string code = finding["code"];
        CHECK_MESSAGE((finding["severity"] != "error" || code.starts_with("MEM")), finding.dump());
      }
    }
  }
  const Json set = page.json("/api/set", {{"text", text}, {"axis", "expert"}, {"move", "8"}});
  CHECK(set["text"] ==
        replaced(text, "expert_model_parallel_size: 16", "expert_model_parallel_size: 8"));
  const Json after = page.look(set["text"]);
  REQUIRE(control(after, "expert") != nullptr);
  CHECK((*control(after, "expert"))["present"] == "8");
  CHECK((*control(after, "expert"))["kind"] == "slider");
}

TEST_CASE("a finding's fix changes the text") {
  Opening page;
  const std::string wrong =
      replaced(recipe(), "expert_model_parallel_size: 16", "expert_model_parallel_size: 7");
  const Json before = page.look(wrong);
  const Json& findings = before["lint"]["files"][0]["findings"];
  bool fixed = false;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Json answer = page.json("/api/fix", {{"text", wrong}, {"finding", i}});
    fixed = fixed || (answer.contains("text") && answer["text"] != wrong);
  }
  CHECK(fixed);
  CHECK(page.post("/api/fix", {{"text", wrong}, {"finding", 1000}}).status == 400);
}

TEST_CASE("dispatchers are compared in the background") {
  Opening page;
  page.json("/api/search", {{"text", recipe()}, {"what", "dispatchers"}});
  const Json state = page.finished("dispatchers");
  REQUIRE(state["state"] == "done");
  CHECK(state["advice"]["schema"] == "epwise.advise/1");
  CHECK(state["advice"]["dispatchers"].size() >= 2);
  CHECK(page.json("/api/progress", {{"what", "plans"}})["state"] == "none");
}

TEST_CASE("a plan is applied to the text that was searched, and to no other") {
  Opening page;
  page.json("/api/search", {{"text", recipe()}, {"what", "plans"}});
  const Json state = page.finished("plans");
  REQUIRE(state["state"] == "done");
  REQUIRE(!state["advice"]["plans"].empty());
  const Json plan = page.json("/api/plan", {{"text", recipe()}, {"plan", 0}});
  REQUIRE(plan.contains("text"));
  CHECK(plan["text"] != recipe());
  CHECK(page.json("/api/plan", {{"text", recipe() + "\n"}, {"plan", 0}}).contains("problem"));
  CHECK(page.json("/api/plan", {{"text", recipe()}, {"plan", 99}}).contains("problem"));
  CHECK(page.look(recipe())["outdated"].is_null());
  CHECK(page.look(recipe() + "\n")["outdated"] ==
        "the text was changed since the search: search again");
  const Json elsewhere = {
      {"text", recipe()}, {"hw", "gb200"}, {"gpus", 64}, {"plan", 0}, {"kind", "advise"}};
  const std::string changed = "the target was changed since the search: search again";
  CHECK(page.json("/api/plan", elsewhere)["problem"] == changed);
  CHECK(page.json("/api/look", elsewhere)["outdated"] == changed);
  CHECK(page.json("/api/report", elsewhere)["problem"] == changed);
  CHECK(page.json("/api/plan", {{"text", recipe()}, {"hw", "h100"}, {"gpus", 16}, {"plan", 0}})
            .contains("text"));  // the same in other words
  const Answer html = page.post("/api/report", {{"text", recipe()}, {"kind", "advise"}});
  CHECK(html.type == "text/html");
  CHECK(html.body.starts_with("<!doctype html>"));
}

TEST_CASE("a search can be cancelled") {
  Opening page;
  page.json("/api/search", {{"text", recipe()}, {"what", "plans"}});
  const Json state = page.json("/api/cancel", {{"what", "plans"}});
  CHECK(state["state"] != "running");
}

TEST_CASE("a search that cannot be made says why") {
  Opening page(Opening::Options{});
  page.json("/api/search", {{"text", "model: {num_layers: 4}\n"}, {"what", "plans"}});
  const Json state = page.finished("plans");
  CHECK(state["state"] == "failed");
  CHECK(state["problem"].get<std::string>().find("hardware") != std::string::npos);
}

TEST_CASE("texts that are no recipe get an answer") {
  Opening page;
  for (const std::string text : {"",
                                 "a: [",
                                 "- 1\n- 2\n",
                                 "\xff\xfe",
                                 "# epwise: --hw nosuch\n",
                                 "model: 3\n",
                                 "a: 1\n---\nb: 2\n"}) {
    CAPTURE(text);
    const Answer answer = page.send({"POST",
                                     "/api/look",
                                     "t0k",
                                     "localhost",
                                     "",
                                     "application/json",
                                     report::json_line({{"text", text}})});
    CHECK(answer.status == 200);
    const Json json = Json::parse(answer.body);
    CHECK((json.contains("problem") || json.contains("lint")));
  }
}

TEST_CASE("malformed requests are refused") {
  Opening page;
  CHECK(page.post("/api/look", Json::array()).status == 400);
  CHECK(page.post("/api/look", {{"text", 3}}).status == 400);
  CHECK(page.post("/api/look", {{"text", ""}, {"gpus", -1}}).status == 400);
  CHECK(page.post("/api/look", {{"text", ""}, {"gpus", 10'000'000}}).status == 400);
  CHECK(page.post("/api/look", {{"text", ""}, {"hw", 1}}).status == 400);
  CHECK(page.post("/api/search", {{"text", ""}, {"what", "x"}}).status == 400);
  CHECK(page.post("/api/nosuch", {{"text", ""}}).status == 404);
  CHECK(page.json("/api/set", {{"text", recipe()}, {"axis", "x"}, {"move", "y"}})
            .contains("problem"));
  CHECK(page.json("/api/look", {{"text", recipe()}, {"hw", "nosuch"}}).contains("problem"));
  const auto status =
      [&](const char* method, const char* path, const char* type, const char* body) {
        return page.send({method, path, "t0k", "127.0.0.1:1", "", type, body}).status;
      };
  CHECK(status("POST", "/api/look", "application/json", "{") == 400);
  CHECK(status("POST", "/api/look", "text/plain", "{}") == 415);
  CHECK(status("GET", "/api/look", "application/json", "{}") == 405);
  CHECK(status("POST", "/", "application/json", "{}") == 405);
  CHECK(status("GET", "/favicon.ico", "", "") == 404);
  CHECK(page.send({"GET", "/", "wrong", "127.0.0.1:1", "", "", ""}).status == 403);
}

TEST_CASE("the page is one file that loads nothing") {
  Opening page;
  const Answer answer = page.send({"GET", "/", "t0k", "127.0.0.1:1", "", "", ""});
  CHECK(answer.status == 200);
  CHECK(answer.type == "text/html");
  CHECK(answer.body.find("http://") == std::string::npos);
  CHECK(answer.body.find("https://") == std::string::npos);
  CHECK(answer.body.find("NONCE") == std::string::npos);
  CHECK(answer.body.find("api/look") != std::string::npos);
  CHECK(answer.policy.find("default-src 'none'") == 0);
  CHECK(make_token() != make_token());
  CHECK(make_token().size() == 32);
}

}  // namespace
}  // namespace epwise::explore
