#include "lint/settled_facts.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/itinerary.h"
#include "lint/launch_run.h"

namespace epwise::lint {

namespace {

class Silence final : public LaunchEvents {
 public:
  void failed(const Rule& /*rule*/, int /*step*/, const std::string& /*crash*/) override {}

  void open(const Rule& /*rule*/, const std::vector<std::string>& /*needs*/) override {}

  bool wants(const Rule& /*rule*/) const override { return false; }
};

}  // namespace

Launch settle(model::Facts& facts, const Knowledge& knowledge) {
  Silence silence;
  std::set<std::string_view> reported;
  for (const auto& diagnostic : facts.recipe().diagnostics) {
    reported.insert(diagnostic.rule);
  }
  return run_launch(plan(knowledge, facts.recipe(), facts.vocabulary()), facts, reported, silence);
}

}  // namespace epwise::lint
