#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/advice.h"
#include "session/host.h"
#include "ui/findings/writer.h"

namespace epwise::report {

/// The results of `epwise advise` for one recipe.
struct AdvisedRecipe {
  std::string path;
  std::string target;     // "h100 x 16 (--hw, --gpus)"
  std::string against;    // "Megatron-Bridge 0.6.2, h100 x 16 (--hw, --gpus)"
  std::string simulated;  // without a recipe of the user: what was simulated instead
  std::string accepted;   // why it would not start, if the user has accepted that
  advise::Advice advice;
};

/// One answer to --why-not FIELD=VALUE.
struct AnsweredWhyNot {
  std::string path;
  std::string target;
  std::string against;
  advise::WhyNot answer;
  bool changes_training = false;  // one of its changes does
};

/// For people, in the order of action: the limit of the step, the dispatchers, SM counts, the
/// overlap ladder, and the plans, with the diff of the first (of all with -v).
std::string advise_text(const AdvisedRecipe& recipe, const Style& style);

/// {"schema": "epwise.advise/1", "wall": {"name", "share"}, "dispatchers": […], "plans": […], …}
std::string advise_json(const AdvisedRecipe& recipe,
                        const std::vector<session::NewerRelease>& newer = {});

/// For a pull request.
std::string advise_markdown(const AdvisedRecipe& recipe);

/// One self-contained page without scripts, fonts or links: plans, dispatchers, ladder, SM sweeps,
/// breakdown of the step, memory.
std::string advise_html(const AdvisedRecipe& recipe);

std::string why_not_text(const AnsweredWhyNot& answered, const Style& style);
std::string why_not_json(const AnsweredWhyNot& answered,
                         const std::vector<session::NewerRelease>& newer = {});

}  // namespace epwise::report

/// Texts shared by all formats of an advice.

namespace epwise::report {

/// A titled list.
struct AdviceList {
  std::string title;  // "Set for the benchmark"
  std::string about;
  std::vector<std::string> lines;
  bool numbered = false;
};

/// What the purpose changes before anything is measured.
std::optional<AdviceList> settled_list(const advise::Advice& advice);

/// How to go on for the purpose: after bring-up, knob by knob, how to measure.
std::vector<AdviceList> purpose_lists(const advise::Advice& advice);

/// "42.6 s, 38.1 to 47.7 s"
std::string range_text(const sim::Range& range);

/// "1.28 (1.13 to 1.43)"
std::string ratio_text(const sim::Range& ratio);

/// "68.7 GiB"
std::string gib_text(double bytes);

/// "a: 1 → 2", "add a: 2", "remove a"
std::string change_text(const advise::PlanChange& change);

/// Why a plan does not take the dispatcher that documents recommend; empty if it does.
///   "documents recommend deepep, with which this plan takes 31.2 s, certainly longer"
std::string documented_text(const advise::Plan& plan);

/// The companions of a rung that make the run faster without it, and their gain; may be empty.
std::string gainers_text(const advise::RungState& rung);

/// "1.28 times as fast, 1.13 to 1.43 (80 % interval)", or that it is too close to call; "… per token,
/// …; a step has 0.5 times the tokens" if `tokens` is not 1.
std::string gain_text(const sim::Range& speedup, sim::Verdict verdict, double tokens = 1);

/// "NVIDIA-NeMo/Megatron-Bridge src/x.py:10"
std::string reference_text(const lint::Reference& reference);

/// " (43 % probability of running out; …)" after an amount of memory; empty if it fits well.
std::string risk_of_memory_text(double out_of_memory, bool fits);

/// "1234", "about 12 billion"
std::string large_count_text(double count);

/// The gain of a plan; for one that makes the recipe fit, or run at all, by what means.
std::string headline_text(const advise::Plan& plan);

/// "not valid: …", or "lint warns against it: …" where a run would start
std::string refusal_text(const advise::Legality& legality);

/// "EP overlap", "CUDA graphs: attention and router"
std::string rung_text(const advise::RungState& rung);

/// "a gain", "a loss", "no clear gain": what a valid rung of the ladder does to those above it.
std::string effect_text(const advise::RungState& rung);

/// "does not fit", "may not fit (24 %)" with the probability of running out of memory, or ""
std::string overflow_text(double out_of_memory);

/// "step now"; "step, fixed" or "step, set" where it is that of the recipe with the changes before
std::string step_label(const advise::Advice& advice, std::string_view what);

/// "shape/heads"; "hygiene/two-data-lengths, changes training"
std::string reason_text(const fix::Repair& repair);

/// "settles PAR002 (shape/expert-world)"
std::string settles_text(const lint::Rule& rule);

/// "goal: speed; each passes lint and fits in memory"
std::string plans_title(const advise::Advice& advice);

/// "Nothing fits: the leanest variant needs 95.1 GiB of 79.1 GiB, 16 GiB too much. …"
std::string shortage_text(const advise::Shortage& shortage);

/// Why there is no plan.
std::string no_plan_text(const advise::Advice& advice);

/// "communication 34 %, host 3 %, compute 62 % (25 % at the GPU's peak rate)": the shares of the
/// step.
std::string shares_text(const advise::Diagnosis& diagnosis);

/// Where a dispatcher stands in a tie: "too close to 1"; for the first, why a faster one is not. Empty
/// if there is no tie.
std::string tie_text(const advise::DispatcherRow& row);

/// Why a candidate is not valid: "DeepEP on … (DSP006)".
std::string reason_text(const advise::Legality& legality);

/// "deepseek-v3 on 256 gb200, EP 32, mxfp8: alltoall 15.2 s, deepep 14.5 s; deepep 1.05 times as
/// fast, 1.07 predicted (this model on this GPU)"
std::string published_text(const advise::PublishedRow& row);

/// "Megatron-Bridge commit 14a29340e, 2026-04; with expert-parallel overlap"
std::string published_source(const advise::PublishedRuns& runs);

/// "with model.moe_shared_expert_overlap=false": accompanying changes; empty if there are none.
std::string companions_text(const std::vector<advise::PlanChange>& changes);

/// "8 steps by NVTX ranges `iteration`: only communication 18 %, matrix products 41 %, no kernel 6
/// %"; empty if only the step was measured.
std::string measured_text(const advise::Anchor& anchor);

/// "measured; 33.1 s were predicted; 8 steps by …: only communication 18 %", with a warning if
/// sends are ambiguous.
std::string anchor_text(const advise::Anchor& anchor);

/// The warning if a profile's SendRecv kernels may belong to a pipeline or to the exchange.
inline constexpr std::string_view kMixedSends =
    "the NCCL SendRecv kernels in the profile are ambiguous: token exchange, pipeline or "
    "context-parallel communication. Neither they nor the exposed share are attributed to "
    "dispatch; give `dispatch_time` in a YAML profile";

std::string_view to_string(advise::Goal goal);  // "speed"

}  // namespace epwise::report
