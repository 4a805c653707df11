#include "repair/search.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <set>
#include <utility>

namespace epwise::repair {

namespace {

using Set = std::vector<int>;
using Wants = std::vector<std::vector<int>>;

/// What a set costs, or at least costs: compared as its members stand.
struct Cost {
  int loss = 0;
  int size = 0;
  int highest = 0;
  int tiers = 0;
  int distance = 0;

  auto operator<=>(const Cost&) const = default;

  void add(const Price& price) {
    const int tier = static_cast<int>(price.tier);
    loss += price.loss;
    size += price.size;
    highest = std::max(highest, tier);
    tiers += tier * price.size;
    distance += price.distance;
  }
};

/// A set on the waiting list. Before it is looked at it promises what its parent knew.
struct Node {
  Cost promise;
  Set set;
  bool seen = false;
  Wants wants;

  /// Of equal promise the larger one first: it is nearer to its end.
  bool operator<(const Node& other) const {
    if (promise != other.promise) {
      return promise < other.promise;
    }
    return set.size() != other.set.size() ? set.size() > other.set.size() : set < other.set;
  }
};

class Search {
 public:
  Search(Situation& situation, const Bounds& bounds) : situation_(situation), bounds_(bounds) {}

  Found run() {
    wait({{}, {}, false, {}});
    while (!waiting_.empty() && !found_.found) {
      Node node = std::move(waiting_.extract(waiting_.begin()).value());
      if (node.seen) {
        extend(node);
        continue;
      }
      if (found_.looks >= bounds_.looks) {
        found_.bounded = true;
        break;
      }
      visit(std::move(node));
    }
    found_.bounded = found_.bounded || (cut_ && !found_.found);
    return std::move(found_);
  }

 private:
  void wait(Node node) { waiting_.insert(std::move(node)); }

  void visit(Node node) {
    ++found_.looks;
    Outcome outcome = situation_.look(node.set);
    if (!outcome.possible) {
      return;
    }
    if (outcome.wanted.empty()) {
      found_.found = true;
      found_.chosen = std::move(node.set);
      return;
    }
    node.seen = true;
    node.wants = std::move(outcome.wanted);
    for (std::vector<int>& want : node.wants) {
      std::erase_if(want, [&](int number) { return !fits(node.set, number); });
      if (want.empty()) {
        return;
      }
    }
    std::ranges::stable_sort(
        node.wants, {}, [](const std::vector<int>& options) { return options.size(); });
    node.promise = std::max(node.promise, promise(node.set, node.wants, -1));
    wait(std::move(node));
  }

  /// What the set costs, and the wants that are apart from one another at least. With `made` ≥ 0,
  /// that option is made too, and its wants are met.
  Cost promise(const Set& set, const Wants& wants, int made) const {
    Cost cost;
    for (const int number : set) {
      cost.add(situation_.option(number).price);
    }
    if (made >= 0) {
      cost.add(situation_.option(made).price);
    }
    std::set<int> used;
    for (const std::vector<int>& want : wants) {
      const auto is_used = [&](int number) { return number == made || used.contains(number); };
      if (std::ranges::none_of(want, is_used)) {
        used.insert(want.begin(), want.end());
        cost.add(least(want));
      }
    }
    return cost;
  }

  Price least(const std::vector<int>& want) const {
    Price least = situation_.option(want.front()).price;
    for (const int number : want) {
      const Price& price = situation_.option(number).price;
      least.loss = std::min(least.loss, price.loss);
      least.size = std::min(least.size, price.size);
      least.tier = std::min(least.tier, price.tier);
      least.distance = std::min(least.distance, price.distance);
    }
    return least;
  }

  void extend(const Node& node) {
    if (static_cast<int>(node.set.size()) >= bounds_.options) {
      cut_ = true;
      return;
    }
    for (const int number : node.wants.front()) {
      Set larger = node.set;
      larger.insert(std::ranges::upper_bound(larger, number), number);
      if (known_.insert(larger).second) {
        wait({promise(node.set, node.wants, number), std::move(larger), false, {}});
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

  Situation& situation_;
  Bounds bounds_;
  Found found_;
  std::set<Node> waiting_;
  std::set<Set> known_;
  bool cut_ = false;  // some set was not extended for its size
};

}  // namespace

Found smallest_legal_set(Situation& situation, const Bounds& bounds) {
  return Search(situation, bounds).run();
}

}  // namespace epwise::repair
