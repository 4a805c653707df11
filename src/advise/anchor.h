#pragma once

#include <string>
#include <vector>

#include "advise/advice.h"
#include "text/source_file.h"

namespace epwise::advise {

/// What the user measured of the recipe as it is. 0: not measured.
struct Measured {
  double step = 0;      // s
  double dispatch = 0;  // s, one exchange of tokens of one layer and micro-batch
  double host = 0;      // s, of one framework operation
};

/// measured.yaml → figures; problems where something is unknown or no time:
///   step_time: 41.25 s
///   dispatch_time: 2.7 ms
///   host_operation: 62 us
Measured read_measured(const text::SourceFile& file, std::vector<text::Diagnostic>& problems);

/// The constants with which the recipe's exchange takes what was measured; surer than before.
sim::ConstantTable anchored(const sim::ConstantTable& constants,
                            const sim::StepWork& present,
                            const Measured& measured);

/// Holds an advice to the measured step: every predicted step is rescaled, and what follows from
/// the recipe's own step is as sure as the ratio to it.
void anchor(Advice& advice, const Measured& measured);

}  // namespace epwise::advise
