#pragma once

#include <string>
#include <vector>

#include "commands/explain/crash_log.h"
#include "recipe/vocabulary/vocabulary.h"

namespace epwise::audit {

/// Adds to an argparse error one sentence per flag or value:
///   unrecognized arguments: --num-expert 8   → "`--num-expert`: did you mean `--num-experts`?"
/// unrecognized arguments: --async-strategy → "`--async-strategy` is known since 0.17.1, …"
/// argument --x: invalid choice: 'ful' (choose from 'full', 'selective') → "did you mean `full`?"
/// Empty for all other crashes. `vocabulary`: of the Megatron-LM version that ran, otherwise the
/// newest.
std::vector<std::string> flag_advice(const Crash& crash, const recipe::Vocabulary& vocabulary);

}  // namespace epwise::audit
