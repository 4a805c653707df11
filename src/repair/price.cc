#include "repair/price.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include "lint/renaming.h"
#include "text/spelling.h"

namespace epwise::repair {

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

/// What a checkpoint or a loss curve depends on.
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

/// What counts before the edit, as far as the recipe and the defaults say.
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

/// A choice that another written setting belongs to: with it that one goes out of use.
bool gives_up(const lint::Fix::Edit& edit, const recipe::Recipe& recipe) {
  constexpr std::string_view kFlex = "flex";
  const auto* choice = recipe.find("model.moe_token_dispatcher_type");
  const auto* backend = recipe.find("model.moe_flex_dispatcher_backend");
  return edit.name == "model.moe_token_dispatcher_type" && choice != nullptr &&
         backend != nullptr && is_on(backend->value) && choice->value.text() != nullptr &&
         *choice->value.text() == kFlex;
}

/// A preset, where the model section says what to compute in.
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

}  // namespace epwise::repair
