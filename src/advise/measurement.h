#pragma once

#include <string>
#include <vector>

#include "advise/advice.h"
#include "advise/run_profile.h"
#include "base/text/source_file.h"

namespace epwise::advise {

/// The user's measurements of the unmodified recipe. 0: not measured.
struct Measured {
  double step = 0;                // s
  double dispatch = 0;            // s, one exchange of tokens of one layer and micro-batch
  double host = 0;                // s, of one framework operation
  double exposed = 0;             // share of the step in which only communication runs
  double products = 0;            // share in which matrix products run
  double idle = 0;                // share without any kernel
  std::string source;             // "8 steps by NVTX ranges `iteration`"; empty: given by the user
  std::vector<SendStream> sends;  // NCCL streams, one of which may be the exchange
  bool mixed = false;             // … but it is unknown which one
};

/// measured.yaml → figures; problems for unknown keys or values that are not a time or a share:
/// step_time: 41.25 s
/// dispatch_time: 2.7 ms
/// host_operation: 62 us
/// exposed_share: 18 %
Measured read_measured(const text::SourceFile& file, std::vector<text::Diagnostic>& problems);

/// What a profile shows about the unmodified recipe.
Measured measured_of(const RunFigures& figures);

/// Attributes NCCL traffic to the token exchange if the recipe determines which stream carried it.
/// Otherwise neither these times nor the exposed share, which includes pipeline waits, count as
/// dispatch.
void take_exchange(const sim::StepWork& present, Measured& measured);

/// Share of a predicted step in which only communication runs.
double exposed_share(const sim::StepWork& work, const sim::Constants& constants);

/// The constants that reproduce the measured exchange, with reduced uncertainty. Uses the time of
/// an exchange or, if only that is known, the exposed share.
sim::ConstantTable calibrated(const sim::ConstantTable& constants,
                              const sim::StepWork& present,
                              const Measured& measured);

/// Adjusts an advice to the measured step: rescales every predicted step; quantities derived from
/// the recipe's own step inherit the certainty of the ratio.
void calibrate_to_measurement(Advice& advice, const Measured& measured);

}  // namespace epwise::advise
