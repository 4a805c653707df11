#include "schedule/replica_exposure.h"

#include <algorithm>

namespace epwise::schedule {

namespace {

double delay_of_gathers(const Pipeline& pipeline,
                        const UniformCost& cost,
                        const UniformReplicas& replicas) {
  const double parts = replicas.buckets;
  const double together =
      std::max(replicas.gather / parts + cost.forward, replicas.gather + cost.forward / parts);
  double delay = 0;
  for (int chunk = 0; chunk < pipeline.chunks; ++chunk) {
    const double planned = (chunk * pipeline.group_size() + 1) * cost.forward;
    delay = std::max(delay, chunk * replicas.gather + together - planned);
  }
  return delay;
}

/// How long the first stage reduces behind the pipeline's end at `end`.
double tail_of_reductions(const Pipeline& pipeline,
                          const UniformCost& cost,
                          const UniformReplicas& replicas,
                          double end) {
  const double parts = replicas.buckets;
  double free = pipeline.chunks * replicas.gather;
  for (int chunk = pipeline.chunks - 1; chunk >= 0; --chunk) {
    const double done = end - chunk * pipeline.last_group() * cost.backward;
    if (replicas.aligned) {
      free = std::max(free, done) + replicas.reduce;
    } else {
      const double first_part = done - cost.backward + cost.backward / parts;
      free = std::max(
          {free + replicas.reduce, first_part + replicas.reduce, done + replicas.reduce / parts});
    }
  }
  return std::max(0.0, free - end);
}

}  // namespace

ReplicaExposure replica_exposure(const Pipeline& pipeline,
                                 const UniformCost& cost,
                                 const UniformReplicas& replicas) {
  ReplicaExposure exposure;
  const StepEstimate step = uniform_step(pipeline, cost);
  if (replicas.gather > 0) {
    exposure.gather = delay_of_gathers(pipeline, cost, replicas);
  }
  if (replicas.reduce > 0) {
    exposure.reduce = tail_of_reductions(pipeline, cost, replicas, step.seconds + exposure.gather);
  }
  const bool no_slack = pipeline.chunks == 1 || pipeline.group_size() == pipeline.stages;
  exposure.exact = step.exact && (pipeline.stages == 1 || (cost.hop.seconds == 0 && no_slack));
  return exposure;
}

}  // namespace epwise::schedule
