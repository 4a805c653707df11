#include "schedule/pipeline.h"

#include <fmt/format.h>

namespace epwise::schedule {

namespace {

std::string interleaving_defect(const Pipeline& pipeline) {
  const int group = pipeline.group_size();
  if (pipeline.stages == 1) {
    return "chunks of a stage interleave only in a pipeline of two stages or more";
  }
  if (group < pipeline.stages || group > pipeline.micro_batches) {
    return fmt::format(
        "a group of {} micro-batches is not between the {} stages and the {} "
        "micro-batches of a step",
        group,
        pipeline.stages,
        pipeline.micro_batches);
  }
  if (pipeline.last_group() < pipeline.stages) {
    return fmt::format("the last group of micro-batches has {}, fewer than the {} pipeline stages",
                       pipeline.last_group(),
                       pipeline.stages);
  }
  return {};
}

}  // namespace

std::string defect(const Pipeline& pipeline) {
  if (pipeline.stages < 1 || pipeline.chunks < 1 || pipeline.micro_batches < 1 ||
      pipeline.group < 0) {
    return "stages, chunks and micro-batches are counted from 1";
  }
  if (pipeline.chunks > 1) {
    return interleaving_defect(pipeline);
  }
  if (pipeline.ep_overlap && pipeline.stages > 1) {
    return "combined 1F1B in a pipeline needs two chunks of a stage or more";
  }
  return {};
}

}  // namespace epwise::schedule
