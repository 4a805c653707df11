#include "commands/simulate/page.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace epwise::report {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

PageRecipe page_of() {
  PageRecipe page;
  page.simulated.path = "a<b>&\"c\".yaml";
  page.simulated.target = "h100 x 16 (--hw, --gpus)";
  sim::Prediction prediction;
  prediction.step_time = {10, 9, 11};
  prediction.tokens_per_second = {1000, 900, 1100};
  prediction.flops_per_second = {4e14, 3e14, 5e14};
  for (std::size_t i = 0; i < prediction.waterfall.size(); ++i) {
    prediction.waterfall[i] = {sim::kWaterfallNames[i],
                               i == 0 ? 9.0 : (i == 1 ? 2.0 : (i == 7 ? -1.0 : 0.0))};
  }
  workload::StageMemory stage;
  stage.weights = 10 * kGiB;
  stage.activations = 40 * kGiB;
  prediction.memory.stages = {stage, stage};
  prediction.memory.fullest = 1;
  prediction.needed_memory = {54 * kGiB, 50 * kGiB, 58 * kGiB};
  prediction.memory_limit = 80 * kGiB;
  page.simulated.prediction = prediction;
  page.simulated.inputs = {{"cpu", "x86", workload::InputStatus::assumed, "by its kind <b>"},
                           {"routing", "forced", workload::InputStatus::written, ""}};
  page.dispatcher = "hybridep";
  page.sweep = {{{4, 12, 0}, {8, 10, 0}, {16, 10.02, 0}, {32, 11, 0}}, 16, 8, 8, 16};
  sim::SteadyLayers layers;
  layers.title = "a layer forward";
  schedule::TimelineEvent event;
  event.task.kind = schedule::TaskKind::node;
  event.task.node = schedule::Node::attention_forward;
  event.end = 1e-3;
  event.critical = true;
  layers.timeline.events.push_back(event);
  event.task.node = schedule::Node::dispatch_forward;
  event.task.stream = schedule::Stream::comm;
  event.start = 1e-3;
  event.end = 3e-3;
  layers.timeline.events.push_back(event);
  layers.timeline.seconds = 3e-3;
  page.layers.push_back(layers);
  page.event_step = 9.9;
  return page;
}

std::ptrdiff_t count_of(const std::string& text, std::string_view what) {
  std::ptrdiff_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("a page needs no network and no script") {
  const std::string page = simulate_html({page_of()});
  for (const std::string_view outside :
       {"http:", "https:", "//", "<script", "url(", "@import", "<link", "src="}) {
    CHECK_MESSAGE(page.find(outside) == std::string::npos, outside);
  }
}

TEST_CASE("every element of a page is closed, and text is escaped") {
  const std::string page = simulate_html({page_of()});
  for (const std::string_view tag :
       {"div",  "section", "span",   "p",    "ul",   "li",   "table", "tr",
        "td",   "th",      "h1",     "h2",   "h3",   "svg",  "b",     "small",
        "main", "header",  "footer", "body", "html", "head", "style", "title"}) {
    const auto opened =
        count_of(page, "<" + std::string(tag) + ">") + count_of(page, "<" + std::string(tag) + " ");
    CHECK_MESSAGE(opened == count_of(page, "</" + std::string(tag) + ">"), tag);
  }
  CHECK(page.find("a&lt;b&gt;&amp;&quot;c&quot;.yaml") != std::string::npos);
  CHECK(page.find("by its kind &lt;b&gt;") != std::string::npos);
  CHECK(page.find("a<b>") == std::string::npos);
}

TEST_CASE("bars stand where their terms do") {
  const std::string section = waterfall_section(*page_of().simulated.prediction);
  // The widest is 1.02 × 11 s: 9 s are 80.214 %, the next 2 s begin there, −1 s ends at 10 s.
  CHECK(section.find("left:0.000%;width:80.214%;background:var(--compute)") != std::string::npos);
  CHECK(section.find("left:80.214%;width:17.825%;background:var(--dispatch)") != std::string::npos);
  CHECK(section.find("left:89.127%;width:8.913%;background:var(--bubble)") != std::string::npos);
  CHECK(section.find("style=\"left:0;width:89.127%") != std::string::npos);
}

TEST_CASE("memory bars end where the stage's need does, beside the GPU's line") {
  const sim::Prediction prediction = *page_of().simulated.prediction;
  const std::string section = memory_section(prediction);
  CHECK(count_of(section, "class=\"limit\" style=\"left:96.154%\"") == 2);  // 80 of 80 × 1.04
  CHECK(section.find("stage 1, fullest") != std::string::npos);
  CHECK(count_of(section, "55.5 GiB</span>") == 2);  // 50 with 5 % and 3 GiB
}

TEST_CASE("the sweep marks what runs now, the best, and where it is flat") {
  const std::string section = sweep_section(page_of());
  CHECK(section.find("now: 16") != std::string::npos);
  CHECK(section.find("best: 8") != std::string::npos);
  CHECK(section.find("From 8 to 16 SMs") != std::string::npos);
  CHECK(section.find("class=\"flat\" style=\"left:14.286%;width:28.571%\"") != std::string::npos);
  PageRecipe none = page_of();
  none.sweep = {};
  none.dispatcher = "alltoall";
  CHECK(sweep_section(none).find("The all-to-all has no SM count to choose") != std::string::npos);
  none.dispatcher.clear();
  CHECK(sweep_section(none).find("Nothing is exchanged") != std::string::npos);
}

TEST_CASE("a recipe without a prediction says why") {
  PageRecipe page;
  page.simulated.path = "r.yaml";
  page.simulated.lint_errors = 3;
  CHECK(simulate_html({page}).find("finds 3 errors") != std::string::npos);
}

}  // namespace
}  // namespace epwise::report
