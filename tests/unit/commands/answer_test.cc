#include "commands/whatif/answer.h"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "support/example_target.h"
#include "support/question.h"
#include "support/sampling.h"

namespace epwise::whatif {
namespace {

using test::AskedRecipe;

constexpr const char* kDelayed = R"(
model:
  num_moe_experts: 8
  expert_model_parallel_size: 4
  moe_token_dispatcher_type: flex
  moe_flex_dispatcher_backend: deepep
comm_overlap: {tp_comm_overlap: false, overlap_moe_expert_parallel_comm: true, delay_wgrad_compute: true}
ddp: {overlap_grad_reduce: true}
train: {global_batch_size: 48, micro_batch_size: 1}
)";

constexpr const char* kMegatron = R"(
MODEL_ARGS:
  --num-layers: 4
  --num-experts: 8
  --tensor-model-parallel-size: 2
  --sequence-parallel: true
  --expert-model-parallel-size: 4
  --moe-token-dispatcher-type: flex
  --global-batch-size: 48
  --micro-batch-size: 1
)";

/// "overlap/x error", "y open", "launch rejects z": what linting one target gives, said from
/// scratch.
std::set<std::string> said(const lint::Result& result) {
  std::set<std::string> all;
  for (const auto& finding : result.findings) {
    all.insert(std::string(finding.rule->id) + " found");
  }
  for (const auto& open : result.open) {
    all.insert(std::string(open.rule->id) + " open");
  }
  all.insert("launch " + std::string(lint::to_string(result.launch.verdict)) +
             (result.launch.rule == nullptr ? "" : std::string(result.launch.rule->id)));
  return all;
}

std::set<std::string> said(const Look& look) {
  std::set<std::string> all;
  for (const auto& sighting : look.sightings) {
    all.insert(std::string(sighting.rule->id) + (sighting.open ? " open" : " found"));
  }
  all.insert("launch " + std::string(lint::to_string(look.launch.verdict)) +
             (look.launch.rule == nullptr ? "" : std::string(look.launch.rule->id)));
  return all;
}

std::string words_of(const Question& question, const Spot& spot) {
  std::string words;
  for (std::size_t i = 0; i < spot.size(); ++i) {
    const auto& axis = question.axes[i];
    const bool stack = axis.name != "hw" && axis.name != "gpus";
    words += stack ? "--stack " + axis.name + "=" : "--" + axis.name + " ";
    words += axis.points[spot[i]] + " ";
  }
  return words;
}

/// Every point of every sweep against a lint of its own.
void compare_with_lint(AskedRecipe& asked) {
  const auto answer = whatif::answer(asked.question);
  const Points points(asked.question);
  for (const auto& sweep : answer.sweeps) {
    auto spot = points.present();
    for (std::size_t point = 0; point < sweep.looks.size(); ++point) {
      spot[sweep.axis] = point;
      const auto words = words_of(asked.question, spot);
      CAPTURE(words);
      const auto alone = test::lint_text(asked.text, words, test::knowledge());
      CHECK(said(sweep.looks[point]) == said(alone.results.front()));
    }
  }
}

TEST_CASE("every point says what a lint of its own says") {
  AskedRecipe bridge(
      kDelayed,
      "",
      {{"te", "2.5..2.8"}, {"hw", "h100,gb200"}, {"gpus", "4..64"}, {"bridge", "0.4.0.."}});
  compare_with_lint(bridge);
  AskedRecipe megatron(kMegatron, "", {{"mlm", "0.15.3.."}, {"te", "2.5..2.8"}, {"gpus", "4..64"}});
  compare_with_lint(megatron);
}

TEST_CASE("every version that is visited has tables of its own, or says whose it takes") {
  for (const char* component : {"bridge", "mlm"}) {
    const bool is_bridge = std::string(component) == "bridge";
    AskedRecipe asked(is_bridge ? kDelayed : kMegatron, "", {{component, ".."}});
    asked.document->selection.select = {"shape/world-size"};
    const auto known = recipe::Vocabulary::versions(is_bridge ? recipe::Framework::bridge
                                                              : recipe::Framework::mlm);
    const auto answer = whatif::answer(asked.question);
    const auto& points = asked.question.axes.front().points;
    int borrowed = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      CAPTURE(points[i]);
      const auto& look = answer.sweeps.front().looks[i];
      const bool own = std::ranges::find(known, points[i]) != known.end();
      CHECK(look.version_unknown == (own ? "" : points[i]));
      CHECK((own ? look.framework_version == points[i]
                 : std::ranges::find(known, look.framework_version) != known.end()));
      borrowed += own ? 0 : 1;
    }
    CHECK(borrowed > 0);
  }
}

TEST_CASE("neighbouring points that say the same are one stretch") {
  AskedRecipe asked(kDelayed, "--gpus 16 --hw h100", {{"te", "2.5..2.9"}});
  asked.document->selection.select = {"wgrad/grad-reduce-old-te"};
  const auto answer = whatif::answer(asked.question);
  const auto& sweep = answer.sweeps.front();
  CHECK(sweep.segments.front().first == 0);
  CHECK(sweep.segments.back().last + 1 == sweep.looks.size());
  for (std::size_t i = 1; i < sweep.segments.size(); ++i) {
    CHECK(sweep.segments[i].first == sweep.segments[i - 1].last + 1);
    CHECK(said(sweep.looks[sweep.segments[i].first]) !=
          said(sweep.looks[sweep.segments[i - 1].first]));
  }
  for (const auto& segment : sweep.segments) {
    for (auto i = segment.first; i <= segment.last; ++i) {
      CHECK(said(sweep.looks[i]) == said(sweep.looks[segment.first]));
    }
  }
  CHECK(sweep.segments.size() == 2);  // the delay needs Transformer Engine 2.7.0
  CHECK(asked.question.axes.front().points[sweep.segments.back().first] == "2.7.0");
}

TEST_CASE("the nearest clean spot is that of a search through everything") {
  constexpr const char* kGpus = epwise::test::sanitized_share(2) == 1 ? "4..64" : "16,64";
  for (const char* words : {"--hw gb200 --gpus 10 --stack te=2.5.0",
                            "--hw h100 --gpus 48 --stack te=2.6.0",
                            "--hw gb200 --gpus 64 --stack te=2.8.0"}) {
    CAPTURE(words);
    AskedRecipe asked(
        kDelayed,
        words,
        {{"te", "2.5..2.8"}, {"hw", "h100,gb200"}, {"gpus", kGpus}, {"bridge", "0.5.0.."}});
    const auto answer = whatif::answer(asked.question);
    const auto brute = search_everything(asked.question);
    if (!answer.stuck.empty()) {
      CHECK_FALSE(brute.has_value());
      continue;
    }
    REQUIRE(answer.clean.has_value() == brute.has_value());
    if (brute) {
      CHECK(answer.clean->spot == *brute);
      CHECK(answer.clean->changed.size() == distance(*brute, asked.question.axes).changes);
    }
  }
}

TEST_CASE("what no axis can help is said, and the search goes on without it") {
  std::string text = kDelayed;
  text.replace(text.find("num_moe_experts: 8"), 18, "num_moe_experts: 6");
  AskedRecipe asked(text, "--hw h100 --gpus 16 --stack te=2.5.0", {{"te", "2.5..2.8"}});
  const auto answer = whatif::answer(asked.question);
  REQUIRE_FALSE(answer.stuck.empty());
  CHECK_FALSE(search_everything(asked.question).has_value());
  REQUIRE(answer.clean.has_value());  // but for the stuck ones
  for (const auto* rule : answer.clean->look.blockers) {
    CHECK(std::ranges::find(answer.stuck, rule) != answer.stuck.end());
  }
}

TEST_CASE("spots come in the order of their distance") {
  std::vector<Axis> axes(2);
  axes[0] = {"te", {"1", "2", "3"}, 1, false, ""};
  axes[1] = {"hw", {"a", "b", "c"}, 0, false, ""};
  const auto spots = spots_by_distance(axes, 100);
  REQUIRE(spots.size() == 9);
  CHECK(spots[0] == Spot{1, 0});
  CHECK(spots[1] == Spot{1, 1});  // one change of hardware: no downgrade
  for (std::size_t i = 1; i < spots.size(); ++i) {
    CHECK_FALSE(distance(spots[i], axes) < distance(spots[i - 1], axes));
  }
  CHECK(spots_by_distance(axes, 8).empty());
}

}  // namespace
}  // namespace epwise::whatif
