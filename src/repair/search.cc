#include "repair/search.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace epwise::repair {

namespace {

using Set = std::vector<int>;

class Search {
 public:
  Search(Situation& situation, const Bounds& bounds) : situation_(situation), bounds_(bounds) {}

  Found run() {
    std::set<Set> layer{{}};
    for (int size = 0; size <= bounds_.size && !layer.empty(); ++size) {
      std::vector<Set> sets(layer.begin(), layer.end());
      std::ranges::stable_sort(sets,
                               [this](const Set& a, const Set& b) { return cost(a) < cost(b); });
      std::set<Set> next;
      for (auto set = sets.begin(); set != sets.end() && !found_.found; ++set) {
        visit(*set, next);
      }
      if (found_.found || found_.bounded) {
        return std::move(found_);
      }
      layer = std::move(next);
    }
    found_.bounded = !layer.empty();
    return std::move(found_);
  }

 private:
  void visit(const Set& set, std::set<Set>& next) {
    if (found_.looks >= bounds_.looks) {
      found_.bounded = true;
      return;
    }
    ++found_.looks;
    const Outcome outcome = situation_.look(set);
    if (!outcome.possible) {
      return;
    }
    if (outcome.wanted.empty()) {
      found_.found = true;
      found_.chosen = set;
      return;
    }
    const auto& narrowest = *std::ranges::min_element(
        outcome.wanted, {}, [](const std::vector<int>& options) { return options.size(); });
    for (const int number : narrowest) {
      if (fits(set, number)) {
        Set larger = set;
        larger.insert(std::ranges::upper_bound(larger, number), number);
        next.insert(std::move(larger));
      }
    }
  }

  bool fits(const Set& set, int number) const {
    const Option& option = situation_.option(number);
    return std::ranges::none_of(set, [&](int other) {
      const Option& chosen = situation_.option(other);
      const bool meet =
          std::ranges::find_first_of(option.touches, chosen.touches) != option.touches.end();
      return other == number || (meet && option.does != chosen.does);
    });
  }

  std::tuple<int, int, int, std::vector<std::string>> cost(const Set& set) const {
    int highest = 0;
    int sum = 0;
    int lines = 0;
    std::vector<std::string> names;
    for (const int number : set) {
      const Option& option = situation_.option(number);
      highest = std::max(highest, option.tier);
      sum += option.tier;
      lines += option.lines;
      names.push_back(option.name);
    }
    std::ranges::sort(names);
    return {highest, sum, lines, std::move(names)};
  }

  Situation& situation_;
  Bounds bounds_;
  Found found_;
};

}  // namespace

Found smallest_legal_set(Situation& situation, const Bounds& bounds) {
  return Search(situation, bounds).run();
}

}  // namespace epwise::repair
