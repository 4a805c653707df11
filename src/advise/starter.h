#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/assessor.h"
#include "advise/known_model.h"
#include "hw/profile.h"

namespace epwise::advise {

/// The inputs for a starter recipe.
struct Start {
  KnownModel model;
  const hw::Profile* hw = nullptr;
  int gpus = 0;
  int sequence = 4096;
  int global_batch = 256;
  bool fp8 = false;
  int expert = 0;            // expert ranks; 0: any
  bool megatron_lm = false;  // otherwise Megatron-Bridge
};

/// One parallel layout of it.
struct Layout {
  int tensor = 1;
  int pipeline = 1;
  int chunks = 1;  // a stage
  int expert = 1;
  std::string recompute;  // "", "small", "full"
};

/// The recipe text with all-to-all, no overlap and no graphs: the configuration to bring up first.
///   starter_text(start, {1, 2, 1, 8, ""}) → "model:\n  num_layers: 48\n  …"
std::string starter_text(const Start& start, const Layout& layout);

/// GPUs on which the model states and the activations fit, a power of two in whole nodes.
int sensible_gpus(const KnownModel& model, const hw::Profile& hw);

/// "TP 1, PP 8, VP 4, EP 64, micro-batch 1, global batch 2048, sequence 4096, BF16, all-to-all"
std::string layout_words(const Start& start, const Layout& layout);

/// What does not divide, and the nearest numbers that do:
///   8 experts are not a multiple of 7 expert ranks: 4 and 8 divide them
/// Empty if some layout is possible.
std::string indivisible(const Start& start);

struct Starter {
  Layout layout;
  std::string text;
  double step = 0;  // s
};

/// The layout with the shortest predicted step that has no lint errors or warnings and fits with 90
/// % probability. Nullopt with a `problem` if none fits or nothing can be predicted. The world's
/// bench must belong to a text of this start.
std::optional<Starter> find_starter(const World& world, const Start& start, std::string& problem);

}  // namespace epwise::advise
