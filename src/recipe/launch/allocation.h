#pragma once

#include "recipe/launch/launch_words.h"
#include "recipe/rank_count.h"
#include "recipe/recipe.h"

namespace epwise::recipe {

/// Compares what the launcher starts with what the job has: recipe/allocated-nodes,
/// recipe/allocated-gpus, recipe/idle-gpus, recipe/no-rendezvous, recipe/idle-nodes,
/// recipe/unreached-nodes, recipe/separate-jobs and recipe/same-node-rank. Unknown numbers are compared with nothing.
///   nested_from   the first word of the command that a script started by srun expands itself
void report_allocation(Recipe& recipe, const Processes& processes, std::size_t nested_from);

/// The same for the pods of a Kubernetes job, each of which starts the command; mpirun starts its
/// processes on all of them. `gpus`: pods, and how many processes there is room for in each.
///   mpirun -np 32 with {2, 8} → recipe/allocated-gpus
void report_pods(Recipe& recipe, const Processes& found, const Ranks& gpus);

}  // namespace epwise::recipe
