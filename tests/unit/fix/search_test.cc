// The search against brute force: generated conflicts of findings and fixes, up to eight fixes of
// which up to six are needed.

#include "fix/search.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::fix {

namespace {

/// A recipe in small: each finding is there until one of its fixes is made, and some fixes bring a
/// finding of their own.
class SmallWorld : public Situation {
 public:
  struct Finding {
    std::vector<int> settled_by;
    std::optional<int> brought_by;  // there only with this fix
  };

  std::vector<Option> options;
  std::vector<Finding> findings;
  int looks = 0;

  const Option& option(int number) const override {
    return options[static_cast<std::size_t>(number)];
  }

  Outcome look(const std::vector<int>& chosen) override {
    ++looks;
    Outcome outcome;
    for (const Finding& finding : findings) {
      const auto has = [&](int number) { return std::ranges::count(chosen, number) > 0; };
      const bool there = !finding.brought_by || has(*finding.brought_by);
      if (there && std::ranges::none_of(finding.settled_by, has)) {
        outcome.wanted.push_back(finding.settled_by);
      }
    }
    return outcome;
  }
};

using SearchCost = std::tuple<int, int, int, int, int>;

SearchCost cost(const SmallWorld& world, const std::vector<int>& chosen) {
  int loss = 0;
  int size = 0;
  int highest = 0;
  int tiers = 0;
  int distance = 0;
  for (const int number : chosen) {
    const Price& price = world.option(number).price;
    const int tier = static_cast<int>(price.tier);
    loss += price.loss;
    size += price.size;
    highest = std::max(highest, tier);
    tiers += tier * price.size;
    distance += price.distance;
  }
  return {loss, size, highest, tiers, distance};
}

bool exclude(const Option& a, const Option& b) {
  return std::ranges::find_first_of(a.touches, b.touches) != a.touches.end() && a.does != b.does;
}

std::optional<SearchCost> brute_force(SmallWorld world) {
  std::optional<SearchCost> best;
  const auto count = static_cast<unsigned>(world.options.size());
  for (unsigned bits = 0; bits < (1U << count); ++bits) {
    std::vector<int> chosen;
    for (unsigned i = 0; i < count; ++i) {
      if ((bits >> i & 1U) != 0) {
        chosen.push_back(static_cast<int>(i));
      }
    }
    bool fits = world.look(chosen).wanted.empty();
    for (const int a : chosen) {
      for (const int b : chosen) {
        fits = fits && (a == b || !exclude(world.option(a), world.option(b)));
      }
    }
    if (fits && (!best || cost(world, chosen) < *best)) {
      best = cost(world, chosen);
    }
  }
  return best;
}

class SearchDice {
 public:
  explicit SearchDice(unsigned seed) : state_(seed) {}

  int below(int limit) {
    state_ = state_ * 1103515245U + 12345U;
    return static_cast<int>(state_ >> 16U & 0x7FFFU) % limit;
  }

 private:
  unsigned state_;
};

SmallWorld generated(SearchDice& dice) {
  SmallWorld world;
  const int fixes = 1 + dice.below(8);
  for (int i = 0; i < fixes; ++i) {
    Option option;
    option.price.size = 1 + dice.below(4) / 3;
    option.price.tier = static_cast<lint::Tier>(dice.below(3));
    option.price.distance = 1 + dice.below(5);
    option.price.loss = dice.below(4) / 3;
    option.touches = {"field " + std::to_string(dice.below(6))};
    option.does = option.touches.front() + " = " + std::to_string(dice.below(2));
    world.options.push_back(std::move(option));
  }
  const int findings = dice.below(7);
  for (int i = 0; i < findings; ++i) {
    SmallWorld::Finding finding;
    for (int j = 0; j < fixes; ++j) {
      if (dice.below(3) == 0) {
        finding.settled_by.push_back(j);
      }
    }
    if (dice.below(4) == 0) {
      finding.brought_by = dice.below(fixes);
    }
    world.findings.push_back(std::move(finding));
  }
  return world;
}

}  // namespace

TEST_CASE("the search finds what brute force finds") {
  int solved = 0;
  int large = 0;
  for (unsigned seed = 1; seed <= 6000; ++seed) {
    SearchDice dice(seed);
    SmallWorld world = generated(dice);
    CAPTURE(seed);
    const auto best = brute_force(world);
    const Found found = smallest_legal_set(world, {8, 100'000});
    REQUIRE_FALSE(found.bounded);
    REQUIRE(found.found == best.has_value());
    if (best) {
      CHECK(cost(world, found.chosen) == *best);
      ++solved;
      large += found.chosen.size() >= 4 ? 1 : 0;
    }
  }
  CHECK(solved > 1000);
  CHECK(large > 10);
}

TEST_CASE("six apart need six, and the search says so without trying all") {
  SmallWorld world;
  for (int i = 0; i < 12; ++i) {
    Option option;
    option.touches = {std::to_string(i)};
    option.does = std::to_string(i);
    world.options.push_back(option);
  }
  for (int i = 0; i < 6; ++i) {
    world.findings.push_back({{2 * i, 2 * i + 1}, std::nullopt});
  }
  const Found found = smallest_legal_set(world, {8, 100'000});
  CHECK(found.found);
  CHECK(found.chosen == std::vector<int>{0, 2, 4, 6, 8, 10});
  CHECK(found.looks == 7);  // of 4096 sets
}

TEST_CASE("a set is chosen by loss, then size, then tier, then distance") {
  struct Row {
    const char* what;
    Price one;                 // settles both findings
    std::vector<Price> apart;  // one each
    bool takes_one;
  };

  using lint::Tier;
  const std::vector<Row> rows{
      {"one for two",
       {1, Tier::performance, 90},
       {{1, Tier::neutral, 1}, {1, Tier::neutral, 1}},
       true},
      {"a layout is worth two switches",
       {2, Tier::performance, 160},
       {{1, Tier::performance, 20}, {1, Tier::performance, 20}},
       false},
      {"but not the mathematics",
       {2, Tier::performance, 160},
       {{1, Tier::performance, 20}, {1, Tier::training, 5}},
       true},
      {"another model is worth no saving",
       {1, Tier::performance, 41, 1},
       {{2, Tier::performance, 160}, {3, Tier::training, 90}},
       false},
      {"one loss for two",
       {3, Tier::training, 160, 1},
       {{1, Tier::neutral, 5, 1}, {1, Tier::neutral, 5, 1}},
       true},
      {"a layout for two layouts",
       {2, Tier::performance, 160},
       {{2, Tier::neutral, 120}, {2, Tier::neutral, 120}},
       true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    SmallWorld world;
    world.options = {
        {row.one, {"a"}, "a"}, {row.apart.front(), {"b"}, "b"}, {row.apart.back(), {"c"}, "c"}};
    world.findings = {{{0, 1}, std::nullopt}, {{0, 2}, std::nullopt}};
    const Found found = smallest_legal_set(world);
    CHECK(found.chosen == (row.takes_one ? std::vector<int>{0} : std::vector<int>{1, 2}));
  }
}

TEST_CASE("a bound is kept and told") {
  SmallWorld world;
  world.options.resize(3);
  world.findings = {{{0}, std::nullopt}, {{1}, std::nullopt}, {{2}, std::nullopt}};
  CHECK(smallest_legal_set(world, {2, 100}).bounded);
  const Found cut = smallest_legal_set(world, {8, 2});
  CHECK(cut.bounded);
  CHECK(cut.looks == 2);
  CHECK_FALSE(cut.found);
  CHECK(smallest_legal_set(world, {3, 100}).chosen == std::vector<int>{0, 1, 2});
}

}  // namespace epwise::fix
