// The search against brute force: generated conflicts of findings and fixes, up to eight fixes of
// which up to six are needed.

#include "repair/search.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::repair {

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

using Cost = std::tuple<std::size_t, int, int, int, std::vector<std::string>>;

Cost cost(const SmallWorld& world, const std::vector<int>& chosen) {
  int highest = 0;
  int sum = 0;
  int lines = 0;
  std::vector<std::string> names;
  for (const int number : chosen) {
    const Option& option = world.option(number);
    highest = std::max(highest, option.tier);
    sum += option.tier;
    lines += option.lines;
    names.push_back(option.name);
  }
  std::ranges::sort(names);
  return {chosen.size(), highest, sum, lines, names};
}

bool exclude(const Option& a, const Option& b) {
  return std::ranges::find_first_of(a.touches, b.touches) != a.touches.end() && a.does != b.does;
}

std::optional<Cost> brute_force(SmallWorld world) {
  std::optional<Cost> best;
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

class Dice {
 public:
  explicit Dice(unsigned seed) : state_(seed) {}

  int below(int limit) {
    state_ = state_ * 1103515245U + 12345U;
    return static_cast<int>(state_ >> 16U & 0x7FFFU) % limit;
  }

 private:
  unsigned state_;
};

SmallWorld generated(Dice& dice) {
  SmallWorld world;
  const int fixes = 1 + dice.below(8);
  for (int i = 0; i < fixes; ++i) {
    Option option;
    option.tier = dice.below(3);
    option.lines = 1 + dice.below(3);
    option.name = "fix " + std::to_string(dice.below(4)) + " " + std::to_string(i);
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
    Dice dice(seed);
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
    option.name = std::to_string(i);
    option.touches = {option.name};
    option.does = option.name;
    world.options.push_back(option);
  }
  for (int i = 0; i < 6; ++i) {
    world.findings.push_back({{2 * i, 2 * i + 1}, std::nullopt});
  }
  const Found found = smallest_legal_set(world, {8, 100'000});
  CHECK(found.found);
  CHECK(found.chosen == std::vector<int>{0, 2, 4, 6, 8, 10});
  CHECK(found.looks < 1000);  // of 4096
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

}  // namespace epwise::repair
