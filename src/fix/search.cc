#include "fix/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text/spelling.h"
#include "lint/renaming.h"

namespace epwise::fix {

namespace {

using expr::Value;

constexpr int kWrittenOut = 1;
constexpr int kSpelling = 5;
constexpr int kSwitch = 20;
constexpr int kOther = 30;
constexpr int kNumber = 40;
constexpr int kDoubling = 10;
constexpr int kLayout = 100;

constexpr int kOff = 3;

/// Settings on which a checkpoint or a loss curve depends.
constexpr std::array<std::string_view, 27> kTrained{"model.num_layers",
                                                    "model.hidden_size",
                                                    "model.ffn_hidden_size",
                                                    "model.num_attention_heads",
                                                    "model.num_query_groups",
                                                    "model.kv_channels",
                                                    "model.num_moe_experts",
                                                    "model.moe_ffn_hidden_size",
                                                    "model.moe_shared_expert_intermediate_size",
                                                    "model.moe_latent_size",
                                                    "model.moe_layer_freq",
                                                    "model.moe_router_topk",
                                                    "model.moe_router_num_groups",
                                                    "model.moe_router_group_topk",
                                                    "model.mtp_num_layers",
                                                    "model.seq_length",
                                                    "model.vocab_size",
                                                    "model.bf16",
                                                    "model.fp16",
                                                    "model.fp8",
                                                    "model.fp8_recipe",
                                                    "model.fp4",
                                                    "mixed_precision",
                                                    "dataset.seq_length",
                                                    "dataset.sequence_length",
                                                    "tokenizer.vocab_size",
                                                    "train.global_batch_size"};

bool is_trained(std::string_view name) {
  return std::ranges::find(kTrained, name) != kTrained.end();
}

bool is_on(const Value& value) {
  return value.boolean() != nullptr ? value.truthy()
                                    : value.text() != nullptr && *value.text() != "none";
}

bool is_off(const Value& value) {
  return value.is_unset() || (value.boolean() != nullptr && !value.truthy()) ||
         (value.text() != nullptr && *value.text() == "none");
}

bool is_layout(std::string_view name) {
  return name.ends_with("_parallel_size") || name.ends_with("_parallel_sizes") ||
         name.ends_with("_parallel_layout");
}

/// The effective value before the edit, as far as the recipe and the defaults determine it.
Value value_before(std::string_view name,
                   const recipe::Recipe& recipe,
                   const recipe::Vocabulary& vocabulary) {
  const auto* spec = vocabulary.find(name);
  const auto* field = recipe.find(spec == nullptr ? name : spec->name);
  if (field != nullptr) {
    return field->value;
  }
  return spec == nullptr ? Value() : spec->default_value;
}

/// A choice to which another written setting belongs: changing it makes that setting ineffective.
bool gives_up(const lint::Fix::Edit& edit, const recipe::Recipe& recipe) {
  constexpr std::string_view kFlex = "flex";
  const auto* choice = recipe.find("model.moe_token_dispatcher_type");
  const auto* backend = recipe.find("model.moe_flex_dispatcher_backend");
  return edit.name == "model.moe_token_dispatcher_type" && choice != nullptr &&
         backend != nullptr && is_on(backend->value) && choice->value.text() != nullptr &&
         *choice->value.text() == kFlex;
}

/// A preset, if the model section specifies the compute precision.
bool overrules_precision(const lint::Fix::Edit& edit, const recipe::Recipe& recipe) {
  const auto is_written = [&](const char* name) {
    const auto* field = recipe.find(name);
    return field != nullptr && is_on(field->value);
  };
  return edit.name == "mixed_precision" && recipe.find(edit.name) == nullptr &&
         (is_written("model.fp8") || is_written("model.fp4") || is_written("model.fp16"));
}

int doublings(double from, double to) {
  constexpr double kMost = 4;
  if (from <= 0 || to <= 0) {
    return static_cast<int>(kMost * kDoubling);
  }
  const double steps = std::min(std::fabs(std::log2(to / from)), kMost);
  return static_cast<int>(std::lround(steps * kDoubling));
}

bool is_respelled(const Value& before, const Value& after) {
  return before.text() != nullptr && after.text() != nullptr &&
         !text::nearest(*before.text(), {*after.text()}, 1).empty();
}

int distance_between(const Value& before, const Value& after) {
  if (is_respelled(before, after)) {
    return kSpelling;
  }
  if (before.boolean() != nullptr || after.boolean() != nullptr) {
    return kSwitch;
  }
  if (before.is_number() && after.is_number()) {
    return kNumber + doublings(before.as_number(), after.as_number());
  }
  return kOther;
}

}  // namespace

int distance_of(const lint::Fix::Edit& edit,
                const recipe::Recipe& recipe,
                const recipe::Vocabulary& vocabulary) {
  if (lint::is_renaming(edit)) {
    return kSpelling;
  }
  const Value before = value_before(edit.name, recipe, vocabulary);
  const Value after = edit.target;
  const bool goes = edit.remove && after.is_unset();
  if (!goes && before == after) {
    return kWrittenOut;
  }
  const int steps = goes && before.boolean() == nullptr ? kOther : distance_between(before, after);
  return steps + (is_layout(edit.name) ? kLayout : 0);
}

std::strong_ordering operator<=>(const Price& a, const Price& b) {
  return std::tuple(a.loss, a.size, a.tier, a.distance) <=>
         std::tuple(b.loss, b.size, b.tier, b.distance);
}

bool operator==(const Price& a, const Price& b) {
  return (a <=> b) == std::strong_ordering::equal;
}

Price price_of(const lint::Fix& fix,
               const recipe::Recipe& recipe,
               const recipe::Vocabulary& vocabulary) {
  Price price{1, fix.tier, 0, 0};
  for (const lint::Fix::Edit& edit : fix.edits) {
    const int distance = distance_of(edit, recipe, vocabulary);
    price.distance += distance;
    if (distance <= kSpelling || fix.tier == lint::Tier::neutral) {
      price.size = distance > kLayout ? 2 : price.size;
      continue;
    }
    const auto* spec = vocabulary.find(edit.name);
    const std::string_view name = spec == nullptr ? std::string_view(edit.name) : spec->name;
    const auto* field = recipe.find(name);
    const bool trained =
        field != nullptr && (is_trained(edit.name) || is_trained(name)) && !field->value.is_unset();
    const bool off =
        gives_up(edit, recipe) || (field != nullptr && is_on(field->value) && is_off(edit.target));
    price.loss += trained || overrules_precision(edit, recipe) ? 1 : 0;
    price.size = std::max({price.size, off ? kOff : 1, distance > kLayout ? 2 : 1});
  }
  return price;
}

namespace {

using Set = std::vector<int>;
using Wants = std::vector<std::vector<int>>;

/// The cost of a set, or a lower bound: compared member by member.
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

/// A set in the queue. Before it is evaluated, its bound is what its parent knew.
struct Node {
  Cost promise;
  Set set;
  bool seen = false;
  Wants wants;

  /// Of equal bounds the larger set first: it is closer to completion.
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

  /// The cost of the set plus a lower bound for its disjoint needs. With `made` ≥ 0, that option is
  /// included, and its needs are met.
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
  bool cut_ = false;  // some set was not extended because of its size
};

}  // namespace

Found smallest_legal_set(Situation& situation, const Bounds& bounds) {
  return Search(situation, bounds).run();
}

}  // namespace epwise::fix
