#pragma once

#include <vector>

#include "session/analysis.h"

namespace epwise::session {

/// Adds a finding of rules/memory/ if the recipe, predicted without the time of a step, probably
/// needs more memory than a GPU of the target has: an error from a probability of 0.9 (of other
/// trainers' recipes a warning), a warning from 0.5. It names the largest parts and offers the changes with which the recipe fits, the
/// cheapest first. Nothing where the recipe is not whole, where the size or number of the GPUs is
/// not known, and for jobs that the memory model was not compared with: dense models, Megatron-FSDP,
/// offloaded layers, programs that split their models with flags of their own.
///
/// A file of Megatron-Bridge overrides leaves to its library recipe what it does not set, and a file
/// of another trainer to its defaults. What they leave open counts as what needs the least. A file
/// that states the model's size may be a whole recipe: if it does not fit as it is written, that is at
/// least a warning.
///
/// A recipe that is rejected for its shape has no memory; the rules then wait for a legal shape.
void check_memory(Analysis& analysis);

/// Whether a recipe that has no memory finding gets one with these edits. False where memory is not
/// judged, now or after the edits.
bool would_overflow(const Analysis& analysis, const std::vector<lint::Fix::Edit>& edits);

}  // namespace epwise::session
