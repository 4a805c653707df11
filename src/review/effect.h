#pragma once

#include <cstdint>
#include <string_view>

namespace epwise::review {

/// What a change of a parameter does to a run.
enum class Effect : std::uint8_t {
  neutral,      // nothing: logs, checkpoints, evaluation
  performance,  // speed and memory
  training,     // the mathematics or the data
  legality,     // whether it starts at all, or a finding comes or goes
};

std::string_view to_string(Effect effect);  // "neutral", "performance", "training-changing", …

/// By the field's canonical name ("model.moe_router_topk", "env.NCCL_DEBUG"); one that nobody
/// classed counts as training. Never legality: that is what findings say.
Effect effect_of(std::string_view field);

}  // namespace epwise::review
