#include "perf/workload/pipeline_layout.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

namespace epwise::workload {

namespace {

Split from_counts(const std::vector<int>& counts, const SplitRequest& request) {
  Split split;
  int next = 0;
  for (const int layers : counts) {
    split.chunks.push_back({.first = next, .layers = layers});
    next += layers;
  }
  split.chunks.front().embedding = true;
  split.chunks.back().loss = true;
  split.chunks.back().prediction_depths = request.prediction_depths;
  return split;
}

Split refused(std::string problem) {
  Split split;
  split.problem = std::move(problem);
  return split;
}

/// Different sizes for the first and last stage; every stage divides its layers over its chunks.
Split with_ends(const SplitRequest& request) {
  const int first = request.in_first_stage.value_or(0);
  const int last = request.in_last_stage.value_or(0);
  const int middle_stages =
      request.stages - (request.in_first_stage ? 1 : 0) - (request.in_last_stage ? 1 : 0);
  const int middle = request.layers - first - last;
  if (middle < 0 || (middle_stages <= 0 ? middle != 0 : middle % middle_stages != 0)) {
    return refused(
        fmt::format("{} layers do not leave equal stages between a first of {} and a last of {}",
                    request.layers,
                    first,
                    last));
  }
  const int each = middle_stages > 0 ? middle / middle_stages : 0;
  const int chunks = request.virtual_stages;
  if (first % chunks != 0 || last % chunks != 0 || each % chunks != 0) {
    return refused(fmt::format("stages of {}, {} and {} layers do not divide into {} chunks each",
                               first,
                               each,
                               last,
                               chunks));
  }
  std::vector<int> counts;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    for (int stage = 0; stage < request.stages; ++stage) {
      const bool is_first = stage == 0 && request.in_first_stage.has_value();
      const bool is_last = stage == request.stages - 1 && request.in_last_stage.has_value();
      counts.push_back((is_first ? first : is_last ? last : each) / chunks);
    }
  }
  return from_counts(counts, request);
}

Split even(const SplitRequest& request, int chunks) {
  const int extra = (request.embedding_counts ? 1 : 0) + (request.loss_counts ? 1 : 0);
  std::vector<int> counts(static_cast<std::size_t>(chunks), (request.layers + extra) / chunks);
  counts.front() -= request.embedding_counts ? 1 : 0;
  counts.back() -= request.loss_counts ? 1 : 0;
  return from_counts(counts, request);
}

Split published(const SplitRequest& request, int chunks) {
  const int units = request.layers + request.prediction_depths;
  const int each = (units + chunks - 1) / chunks;
  const int spare = each * chunks - units;
  std::vector<int> counts;
  int left = request.layers;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int wanted = chunk == 0 && spare >= 2 ? each - 1 : each;
    counts.push_back(std::min(wanted, left));
    left -= counts.back();
  }
  counts.back() += left;
  auto split = from_counts(counts, request);
  split.assumed = true;
  return split;
}

}  // namespace

Split split_layers(const SplitRequest& request) {
  const int chunks = request.stages * request.virtual_stages;
  if (chunks < 1 || request.layers < 1) {
    return refused("a pipeline needs at least one stage and one layer");
  }
  if (request.in_first_stage || request.in_last_stage) {
    return with_ends(request);
  }
  const int extra = (request.embedding_counts ? 1 : 0) + (request.loss_counts ? 1 : 0);
  if ((request.layers + extra) % chunks == 0 && request.layers + extra >= chunks) {
    return even(request, chunks);
  }
  if (extra > 0) {
    return refused(
        fmt::format("{} layers with the embedding or the loss as one do not divide into {} chunks",
                    request.layers,
                    chunks));
  }
  return published(request, chunks);
}

Split read_split(const expr::Layout& layout, const SplitRequest& request) {
  if (!layout.problem.empty()) {
    return refused(layout.problem);
  }
  if (layout.stages.empty() || request.stages < 1 ||
      layout.stages.size() % static_cast<std::size_t>(request.stages) != 0) {
    return refused(fmt::format("a layout of {} chunks does not divide over {} stages",
                               layout.stages.size(),
                               request.stages));
  }
  Split split;
  int next = 0;
  int depths = 0;
  for (const auto& letters : layout.stages) {
    Chunk chunk;
    chunk.first = next;
    chunk.layers = static_cast<int>(std::ranges::count(letters, 't'));
    chunk.prediction_depths = static_cast<int>(std::ranges::count(letters, 'm'));
    chunk.embedding = letters.find('E') != std::string::npos;
    chunk.loss = letters.find('L') != std::string::npos;
    next += chunk.layers;
    depths += chunk.prediction_depths;
    split.chunks.push_back(chunk);
  }
  if (next != request.layers || depths != request.prediction_depths) {
    return refused(
        fmt::format("the layout has {} layers and {} MTP depths, the model has {} and {}",
                    next,
                    depths,
                    request.layers,
                    request.prediction_depths));
  }
  return split;
}

}  // namespace epwise::workload
