#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/assessor.h"
#include "advise/known_model.h"
#include "hw/profile.h"

namespace epwise::advise {

/// What a first recipe is made from.
struct Start {
  KnownModel model;
  const hw::Profile* hw = nullptr;
  int gpus = 0;
  int sequence = 4096;
  int global_batch = 256;
  bool fp8 = false;
  bool megatron_lm = false;  // else Megatron-Bridge
};

/// One parallel layout of it.
struct Layout {
  int tensor = 1;
  int pipeline = 1;
  int chunks = 1;  // a stage
  int expert = 1;
  std::string recompute;  // "", "small", "full"
};

/// The recipe as text, with all-to-all, without overlap and without graphs: what must run first.
///   starter_text(start, {1, 2, 1, 8, ""}) → "model:\n  num_layers: 48\n  …"
std::string starter_text(const Start& start, const Layout& layout);

/// GPUs with which the model's states fit beside its activations, a power of two of whole nodes.
int sensible_gpus(const KnownModel& model, const hw::Profile& hw);

struct Starter {
  Layout layout;
  std::string text;
  double step = 0;  // s
};

/// The fastest predicted layout without lint errors and warnings that fits with nine chances of
/// ten. Nullopt: none does, or nothing can be predicted; `problem` says which. The world's bench
/// must be that of some text of this start.
std::optional<Starter> find_starter(const World& world, const Start& start, std::string& problem);

}  // namespace epwise::advise
