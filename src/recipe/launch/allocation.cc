#include "recipe/launch/allocation.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text/diagnostic.h"
#include "base/units/checked.h"

namespace epwise::recipe {

namespace {

/// srun starts its command once for each task.
std::optional<std::int64_t> starts_per_node(const Processes& found) {
  if (!found.srun) {
    return found.torch ? std::optional<std::int64_t>(1) : std::nullopt;
  }
  std::optional<std::int64_t> result;
  if (found.elastic || found.ranks) {  // mpirun behind srun: as many as mpirun says
    return result;
  }
  if (found.node_tasks && !found.own_tasks) {
    result = found.node_tasks->value;
  }
  if (found.tasks && found.nodes) {
    const std::int64_t spread = std::max<std::int64_t>(found.tasks->value / found.nodes->value, 1);
    result = result ? std::min(*result, spread) : spread;
  }
  return result;
}

/// A step has no more nodes than its job: srun refuses it.
bool step_too_large(const Processes& found) {
  return found.srun && found.nodes && found.allocated_nodes &&
         found.nodes->value > found.allocated_nodes->value;
}

void report_nodes(Recipe& recipe, const Processes& found) {
  if (step_too_large(found)) {
    recipe.diagnostics.push_back({"recipe/allocated-nodes",
                                  found.nodes->mark,
                                  fmt::format("srun asks for {} nodes, but the job has {}",
                                              found.nodes->value,
                                              found.allocated_nodes->value),
                                  {},
                                  "ask for as many nodes with sbatch, or leave out srun's own "
                                  "number: it takes all nodes of the job"});
    return;
  }
  if (!found.torch_nodes) {
    return;
  }
  const std::int64_t wanted = found.torch_nodes->value;
  const bool job_too_small = found.allocated_nodes && found.allocated_nodes->value < wanted;
  // On one node: another srun may start the others.
  const bool step_too_small =
      found.srun && found.nodes && found.nodes->value > 1 && found.nodes->value < wanted;
  const bool too_few = job_too_small || step_too_small;
  const bool on_all = found.srun && found.nodes && !found.tasks;
  const bool too_many = on_all && found.nodes->value > wanted;
  if (!too_few && !too_many) {
    return;
  }
  recipe.diagnostics.push_back(
      {"recipe/allocated-nodes",
       found.torch_nodes->mark,
       fmt::format("torchrun expects {} nodes, but {} {}",
                   wanted,
                   job_too_small ? "the job has" : "srun starts it on",
                   job_too_small ? found.allocated_nodes->value : found.nodes->value),
       {},
       "pass the job's own number: --nnodes $SLURM_NNODES"});
}

/// A job set may hold several jobs of as many nodes each.
bool fits_pods(std::int64_t pods, std::int64_t nodes) {
  return pods >= nodes && nodes > 0 && pods % nodes == 0;
}

/// "torchrun 64 times, with 8 processes each", "64 processes"
std::string started(std::int64_t starts, const Processes& found) {
  return found.torch && found.torch_ranks
             ? fmt::format(
                   "torchrun {} times, with {} processes each", starts, found.torch_ranks->value)
             : fmt::format("{} processes", starts);
}

/// What the launcher starts on all nodes together, with its own number: mpirun -np, srun --ntasks.
/// False: it has none, or there is room for it.
bool report_total(Recipe& recipe, const Processes& found, std::int64_t gpus, const char* owner) {
  const bool by_mpi = found.ranks.has_value();
  const std::optional<Count>& starts = by_mpi ? found.ranks : found.tasks;
  const bool own = by_mpi || (found.srun && found.own_tasks);
  if (!own || !starts || (found.torch && !found.torch_ranks) || (by_mpi && found.srun)) {
    return false;
  }
  const std::int64_t each = found.torch ? found.torch_ranks->value : 1;
  const auto total = units::product(starts->value, each);
  if (total && *total <= gpus) {
    return false;
  }
  recipe.diagnostics.push_back(
      {"recipe/allocated-gpus",
       starts->mark,
       fmt::format("{} starts {}, but {} {} {}",
                   by_mpi ? "mpirun" : "srun",
                   started(starts->value, found),
                   owner,
                   gpus,
                   gpus == 1 ? "GPU" : "GPUs"),
       {},
       found.torch ? "start torchrun once on each node" : "start one process for each GPU"});
  return true;
}

/// The GPUs of a step, or of the whole job.
std::optional<std::int64_t> all_gpus(const Processes& found) {
  const auto& nodes = found.srun && !step_too_large(found) ? found.nodes : found.allocated_nodes;
  return nodes && found.node_gpus ? units::product(nodes->value, found.node_gpus->value)
                                  : std::nullopt;
}

void report_gpus(Recipe& recipe, const Processes& found) {
  const auto all = all_gpus(found);
  if (all && report_total(recipe, found, *all, found.srun ? "its nodes have" : "the job has")) {
    return;
  }
  const auto starts = starts_per_node(found);
  if (!starts || !found.node_gpus || (found.torch && !found.torch_ranks)) {
    return;
  }
  const std::int64_t each = found.torch ? found.torch_ranks->value : 1;
  const std::int64_t gpus = found.node_gpus->value;
  if (*starts <= gpus / each) {
    if (*starts * each < gpus) {
      recipe.diagnostics.push_back({"recipe/idle-gpus",
                                    found.node_gpus->mark,
                                    fmt::format("a node has {} GPUs, but gets {} {}",
                                                gpus,
                                                *starts * each,
                                                *starts * each == 1 ? "process" : "processes"),
                                    {},
                                    "start one process for each GPU, or ask for fewer GPUs"});
    }
    return;
  }
  const Count& named = found.torch ? *found.torch_ranks : *found.node_gpus;
  const bool both = found.torch && *starts > 1;
  recipe.diagnostics.push_back(
      {"recipe/allocated-gpus",
       named.mark,
       both ? fmt::format("srun starts torchrun {} times on a node, with {} processes each, but a "
                          "node has {} GPUs",
                          *starts,
                          each,
                          gpus)
            : fmt::format("a node gets {} processes, but has {} GPUs", *starts * each, gpus),
       {},
       both ? "start torchrun once on each node: srun --ntasks-per-node=1"
            : "start one process for each GPU"});
}

void report_rendezvous(Recipe& recipe, const Processes& found) {
  const bool several = found.torch_nodes && found.torch_nodes->value > 1;
  const bool named =
      std::any_of(recipe.variables.begin(), recipe.variables.end(), [](const auto& variable) {
        return std::string_view(variable.first).substr(0, 4) == "PET_";
      });
  if (!several || found.addressed || named) {
    return;
  }
  recipe.diagnostics.push_back(
      {"recipe/no-rendezvous",
       found.torch_nodes->mark,
       fmt::format(
           "torchrun on {} nodes gets no address to meet at, so every node waits at its own "
           "127.0.0.1",
           found.torch_nodes->value),
       {},
       "pass --master-addr, or --rdzv-backend c10d with --rdzv-endpoint; torchrun does not read "
       "MASTER_ADDR"});
}

/// Without --nnodes torchrun starts a job of one node wherever srun starts it.
void report_separate_jobs(Recipe& recipe, const Processes& found) {
  const bool several = found.nodes && found.nodes->value > 1 && !found.tasks;
  if (!found.torch || !found.srun || !several || found.torch_nodes || found.elastic ||
      found.dynamic || recipe.variables.contains("PET_NNODES")) {
    return;
  }
  recipe.diagnostics.push_back(
      {"recipe/separate-jobs",
       found.nodes->mark,
       fmt::format("srun starts torchrun on {} nodes, and without --nnodes each trains alone",
                   found.nodes->value),
       {},
       "pass --nnodes $SLURM_NNODES with --rdzv-backend c10d and --rdzv-endpoint"});
}

/// A batch script runs on the first node of its job; what it starts without srun stays there.
void report_unreached_nodes(Recipe& recipe, const Processes& found) {
  if (!found.torch || found.srun || found.remote || !found.allocated_nodes ||
      found.allocated_nodes->value < 2) {
    return;
  }
  const bool waits = found.torch_nodes && found.torch_nodes->value > 1;
  recipe.diagnostics.push_back(
      {waits ? "recipe/unreached-nodes" : "recipe/idle-nodes",
       found.allocated_nodes->mark,
       fmt::format("the job has {} nodes, but torchrun starts on the first alone{}",
                   found.allocated_nodes->value,
                   waits ? fmt::format(" and waits for {}", found.torch_nodes->value) : ""),
       {},
       "start it on every node: srun --ntasks-per-node=1 bash -c 'torchrun "
       "--node-rank=$SLURM_NODEID ...'; "
       "without the quotes $SLURM_NODEID is 0 on all of them"});
}

/// torchrun's static rendezvous needs another rank on each node. srun copies its words to all of them.
void report_node_rank(Recipe& recipe, const Processes& found, std::size_t nested_from) {
  const bool several = (found.torch_nodes && found.torch_nodes->value > 1) ||
                       (!found.torch_nodes && found.nodes && found.nodes->value > 1);
  if (!found.torch || !found.srun || !several || found.dynamic || !found.node_rank) {
    return;
  }
  const NodeRank& rank = *found.node_rank;
  const bool outside = rank.before_srun || (found.srun_word >= nested_from && rank.of_task);
  const bool everywhere = found.nodes && found.nodes->value > 1 && !found.tasks;
  if (!outside && !(rank.value && everywhere)) {
    return;
  }
  recipe.diagnostics.push_back(
      {"recipe/same-node-rank",
       rank.mark,
       outside ? std::string("the batch script itself expands this variable, before srun: it is 0 "
                             "on every node")
               : fmt::format("srun starts torchrun with node rank {} on every node", *rank.value),
       {},
       "let the shell of each task expand it: srun bash -c 'torchrun --node-rank $SLURM_NODEID "
       "...', or use --rdzv-backend c10d without node ranks"});
}

}  // namespace

void report_allocation(Recipe& recipe, const Processes& processes, std::size_t nested_from) {
  report_node_rank(recipe, processes, nested_from);
  report_nodes(recipe, processes);
  report_gpus(recipe, processes);
  report_rendezvous(recipe, processes);
  report_unreached_nodes(recipe, processes);
  report_separate_jobs(recipe, processes);
}

void report_pods(Recipe& recipe, const Processes& found, const Ranks& gpus) {
  const auto all = units::product(gpus.nodes, gpus.each);
  if (found.srun || (all && found.ranks && report_total(recipe, found, *all, "the pods have"))) {
    return;
  }
  const std::int64_t pods = gpus.nodes;
  if (found.torch && found.torch_nodes && !fits_pods(pods, found.torch_nodes->value)) {
    recipe.diagnostics.push_back({"recipe/allocated-nodes",
                                  found.torch_nodes->mark,
                                  fmt::format("torchrun expects {} nodes, but the job has {} {}",
                                              found.torch_nodes->value,
                                              pods,
                                              pods == 1 ? "pod" : "pods"),
                                  {},
                                  "set replicas, or parallelism, and --nnodes to the same number"});
  }
  if (found.torch && found.torch_ranks && found.torch_ranks->value > gpus.each) {
    recipe.diagnostics.push_back({"recipe/allocated-gpus",
                                  found.torch_ranks->mark,
                                  fmt::format("a pod gets {} processes, but has {} {}",
                                              found.torch_ranks->value,
                                              gpus.each,
                                              gpus.each == 1 ? "GPU" : "GPUs"),
                                  {},
                                  "start one process for each GPU, or ask for more GPUs"});
  }
}

}  // namespace epwise::recipe
