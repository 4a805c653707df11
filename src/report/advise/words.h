#pragma once

#include <string>
#include <vector>

#include "advise/advice.h"

/// Words that all formats of an advice share.
namespace epwise::report {

/// "42.6 s, 38.1 to 47.7 s"
std::string range_text(const sim::Range& range);

/// "1.28 (1.13 to 1.43)"
std::string ratio_text(const sim::Range& ratio);

/// "68.7 GiB"
std::string gib_text(double bytes);

/// "a: 1 → 2", "add a: 2", "remove a"
std::string change_text(const advise::PlanChange& change);

/// "1.28 times as fast (1.13 to 1.43)", or that this is too close to call.
std::string gain_text(const sim::Range& speedup, sim::Verdict verdict);

/// Why a thing is not legal: "DeepEP on … (DSP006)".
std::string reason_text(const advise::Legality& legality);

/// "with model.moe_shared_expert_overlap=false": what goes along; empty for nothing.
std::string companions_text(const std::vector<advise::Companion>& companions);

/// "8 steps by NVTX ranges `iteration`: only communication 18 %, matrix products 41 %, no kernel
/// 6 %"; empty where nothing but the step was measured.
std::string measured_text(const advise::Anchor& anchor);

/// "measured; 33.1 s were predicted; 8 steps by …: only communication 18 %", with the warning where
/// sends are mixed.
std::string anchor_text(const advise::Anchor& anchor);

/// What is said where a profile's SendRecv kernels may be a pipeline's or the exchange's.
inline constexpr std::string_view kMixedSends =
    "NCCL's SendRecv kernels in it can't be told apart: tokens, stages of the pipeline or context "
    "ranks. Neither they nor the exposed share count as dispatch; `dispatch_time` in a YAML "
    "profile "
    "does";

std::string_view to_string(advise::Goal goal);  // "speed"

}  // namespace epwise::report
