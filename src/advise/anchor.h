#pragma once

#include <string>
#include <vector>

#include "advise/advice.h"
#include "advise/run_profile.h"
#include "text/source_file.h"

namespace epwise::advise {

/// What the user measured of the recipe as it is. 0: not measured.
struct Measured {
  double step = 0;                // s
  double dispatch = 0;            // s, one exchange of tokens of one layer and micro-batch
  double host = 0;                // s, of one framework operation
  double exposed = 0;             // share of the step in which only communication runs
  double products = 0;            // share in which matrix products run
  double idle = 0;                // share without any kernel
  std::string source;             // "8 steps by NVTX ranges `iteration`"; empty: the user says so
  std::vector<SendStream> sends;  // NCCL's, of which one may be the exchange
  bool mixed = false;             // … but which one can't be told
};

/// measured.yaml → figures; problems where something is unknown, no time or no share:
///   step_time: 41.25 s
///   dispatch_time: 2.7 ms
///   host_operation: 62 us
///   exposed_share: 18 %
Measured read_measured(const text::SourceFile& file, std::vector<text::Diagnostic>& problems);

/// What a profile says of the recipe as it is.
Measured measured_of(const RunFigures& figures);

/// Takes the exchange of tokens from what NCCL sent, where the recipe tells which stream that was.
/// Where it doesn't, neither these times nor the exposed share, in which a pipeline waits too,
/// count for dispatch.
void take_exchange(const sim::StepWork& present, Measured& measured);

/// Share of a predicted step in which only communication runs.
double exposed_share(const sim::StepWork& work, const sim::Constants& constants);

/// The constants with which the recipe's exchange takes what was measured; surer than before. By
/// the time of an exchange, or, where only that is known, by the exposed share.
sim::ConstantTable anchored(const sim::ConstantTable& constants,
                            const sim::StepWork& present,
                            const Measured& measured);

/// Holds an advice to the measured step: every predicted step is rescaled, and what follows from
/// the recipe's own step is as sure as the ratio to it.
void anchor(Advice& advice, const Measured& measured);

}  // namespace epwise::advise
