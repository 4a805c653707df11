// No printed plan is dominated by another combination of its own axes, and more freedom never gives a worse plan: tried by brute
// force on small spaces of several recipes.

#include "advise/dominance.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "advise/advisor.h"
#include "advise/comparison_tables.h"
#include "advise/decision.h"
#include "perf/cost/compiled_table.h"
#include "perf/sim/prediction/comparison.h"
#include "support/analyzed_recipe.h"
#include "support/example_file.h"
#include "support/sampling.h"

namespace epwise::advise {

namespace {

struct Site {
  const char* recipe;
  const char* target;
};

constexpr Site kSites[] = {
    {"q30-ep16-off", "--hw h100 --gpus 16"},
    {"q30-ep16-off", "--hw gb200 --gpus 16"},
    {"q30-ep16-off", "--hw b200 --gpus 16"},
    {"next80-ep8-overlap", "--hw h100 --gpus 64"},
};

Request request_of(std::vector<std::string> words) {
  Request request;
  request.freedom.may_change = std::move(words);
  request.seconds = 600;
  return request;
}

/// One of a test's cases that run: a share of them unless all are asked for.
bool is_run(int number) {
  return number % (test::share(24) * test::sanitized_share(8)) == 0;
}

/// A recipe with its own space, as an advice looks at it.
struct Ground {
  session::Analysis recipe;
  cost::Table laws = cost::compiled_table();
  World world;
  Assessor bare;
  Prospect present;
  Freedom freedom;
  Space space;
  Assessor assessor;
  Study study;

  Ground(const Site& site, const Request& request)
      : recipe(test::analysis_of(support::seed(site.recipe), site.target)),
        world{recipe, laws, sim::constants(), {}},
        bare(world, nullptr),
        present(bare.predicted(Edits{})),
        freedom(freedom_of(request, recipe, present)),
        space(knowledge(), bare.cache().plain(), freedom),
        assessor(world, &space),
        study{world, knowledge(), space, assessor, present} {}

  static Freedom freedom_of(const Request& request,
                            const session::Analysis& recipe,
                            const Prospect& present) {
    Freedom freedom = request.freedom;
    freedom.architecture = recipe.target->hw->architecture;
    freedom.precision = std::string(to_string(present.job->precision));
    return freedom;
  }
};

/// The first combination of the plan's own axes that is better in every respect; empty: none.
std::string dominator_of(Ground& ground, const Plan& plan) {
  constexpr std::size_t kAll = 20'000;
  const std::string documented = documented_dispatcher(ground.study);
  const Standing own =
      standing_of(plan.candidate, ground.assessor.assess(plan.candidate), ground.space);
  const auto axes = own_axes(plan.candidate, ground.space, documented);
  for (const Candidate& other : combinations_of(plan.candidate, axes, ground.space, kAll)) {
    const Assessment assessment = ground.assessor.assess(other);
    if (assessment.usable() && !ground.space.changed(other).empty() &&
        dominates(standing_of(other, assessment, ground.space), own)) {
      std::string text;
      for (const Edit& edit : assessment.edits) {
        text += edit.field + "=" + edit.value.to_text() + " ";
      }
      return text;
    }
  }
  return "";
}

/// A change of the plan without which the step is no longer; empty: none.
std::string idle_change_of(Ground& ground, const Plan& plan) {
  const double step = ground.assessor.assess(plan.candidate).step;
  for (const std::size_t axis : ground.space.changed(plan.candidate)) {
    Candidate less = plan.candidate;
    less[axis] = 0;
    less = ground.space.canonical(std::move(less));
    const Assessment assessment = ground.assessor.assess(less);
    if (!ground.space.changed(less).empty() && assessment.usable() && assessment.step <= step) {
      return ground.space.dimensions()[axis].axis->name;
    }
  }
  return "";
}

double first_step(const Site& site, const Request& request) {
  const session::Analysis recipe = test::analysis_of(support::seed(site.recipe), site.target);
  const cost::Table laws = cost::compiled_table();
  const World world{recipe, laws, sim::constants(), {}};
  const Advice advice = advise(world, knowledge(), request);
  return advice.plans.empty()
             ? advice.present->step_time.value
             : std::min(advice.plans.front().step.value, advice.present->step_time.value);
}

}  // namespace

TEST_CASE("no plan is dominated by another combination of its own axes") {
  const std::vector<std::vector<std::string>> spaces = {
      {"dispatcher", "overlap"},
      {"dispatcher", "overlap", "graphs"},
      {"recompute", "overlap", "graphs"},
      {"tensor", "pipeline", "virtual"},
      {"expert", "micro_batch", "recompute"},
      {"pipeline", "virtual", "overlap", "micro_batch"},
  };
  int plans = 0;
  int number = 0;
  for (const Site& site : kSites) {
    for (const auto& words : spaces) {
      for (const Goal goal : {Goal::speed, Goal::memory}) {
        if (!is_run(3 * number++)) {
          continue;
        }
        Request request = request_of(words);
        request.goal = goal;
        Ground ground(site, request);
        const Advice advice = advise(ground.world, knowledge(), request);
        for (const auto* list : {&advice.plans, &advice.close}) {
          for (const Plan& plan : *list) {
            ++plans;
            CAPTURE(site.recipe);
            CAPTURE(site.target);
            CAPTURE(words.front());
            CAPTURE(plan.diff);
            CHECK(dominator_of(ground, plan) == "");
            CHECK((goal == Goal::memory || idle_change_of(ground, plan).empty()));
          }
        }
      }
    }
  }
  CHECK(plans > 0);
}

TEST_CASE("more freedom never gives a slower first plan") {
  std::vector<std::vector<std::string>> chain = {
      {"overlap"},
      {"overlap", "dispatcher"},
      {"overlap", "dispatcher", "graphs"},
      {"overlap", "dispatcher", "graphs", "recompute"},
      {"overlap", "dispatcher", "graphs", "recompute", "batch"},
      {"overlap", "dispatcher", "graphs", "recompute", "batch", "mapping"},
      {"overlap", "dispatcher", "graphs", "recompute", "batch", "mapping", "kernels"},
      {"overlap", "dispatcher", "graphs", "recompute", "batch", "mapping", "kernels", "precision"},
  };
  // The sanitizers see the same code in a smaller space, in a fraction of the time.
  chain.resize(chain.size() / static_cast<std::size_t>(test::sanitized_share(2)));
  int number = 0;
  for (const Site& site : kSites) {
    if (!is_run(number++)) {
      continue;
    }
    double before = 0;
    const auto step =
        static_cast<std::size_t>(test::share(7));  // a share: the first and all freedom
    for (std::size_t at = (chain.size() - 1) % step; at < chain.size(); at += step) {
      const auto& words = chain[at];
      const double reached = first_step(site, request_of(words));
      CAPTURE(site.recipe);
      CAPTURE(site.target);
      CAPTURE(words.back());
      CHECK((before == 0 || reached <= 1.001 * before));
      before = before == 0 ? reached : std::min(before, reached);
    }
  }
}

TEST_CASE("dominance asks for nothing worse and something better") {
  const Standing plain{10, 50, 2, lint::Tier::performance, Risk::medium};
  Standing other = plain;
  CHECK_FALSE(dominates(other, plain));
  other.step = 9.99;  // a rounding
  CHECK_FALSE(dominates(other, plain));
  other.step = 9;
  CHECK(dominates(other, plain));
  CHECK_FALSE(dominates(plain, other));
  other.risk = Risk::high;
  CHECK_FALSE(dominates(other, plain));
  other = plain;
  other.changes = 1;
  CHECK(dominates(other, plain));
  other.memory = 51;
  CHECK_FALSE(dominates(other, plain));
}

TEST_CASE("a further plan adds nothing without a notable difference") {
  const Standing first{10, 50, 2, lint::Tier::performance, Risk::medium};
  Standing other = first;
  CHECK(adds_nothing(other, first));
  other.changes = 3;
  other.memory = 49;  // 2 % less
  CHECK(adds_nothing(other, first));
  other.memory = 48;
  CHECK_FALSE(adds_nothing(other, first));
  other.memory = 50;
  other.step = 9.9;
  CHECK_FALSE(adds_nothing(other, first));
  other.step = 11;
  other.risk = Risk::low;
  CHECK_FALSE(adds_nothing(other, first));
}

}  // namespace epwise::advise
