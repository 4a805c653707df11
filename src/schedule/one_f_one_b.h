#pragma once

#include "schedule/slot.h"

namespace epwise::schedule {

/// 1F1B without interleaving: stage r runs P − r − 1 forwards, then one forward and one backward in
/// turn. Expert-parallel overlap can't run in it: the pieces of one turn depend on each other on
/// the last stage.
///   P = 2, M = 3, stage 0: F0 F1 B0 F2 B1 B2;  stage 1: F0 B0 F1 B1 F2 B2
Schedule one_f_one_b();

}  // namespace epwise::schedule
