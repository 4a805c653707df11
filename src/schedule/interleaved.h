#pragma once

#include "schedule/slot.h"

namespace epwise::schedule {

/// Interleaved 1F1B: stage r holds V chunks and runs 2 (P − r − 1) + (V − 1) G forwards first.
///   P = 2, V = 2, M = 2, stage 1: F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 B0.0 B1.0
Schedule interleaved();

/// Forwards that stage r runs before its first backward, capped at all of them; `extra` more where
/// forwards and backwards are to be paired.
int interleaved_warmup(const Pipeline& pipeline, int stage, int extra);

}  // namespace epwise::schedule
