#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recipe/arguments/word.h"
#include "shell/field.h"
#include "shell/interpreter.h"

namespace epwise::recipe {

/// A whole number with the place that says so.
struct Count {
  std::int64_t value = 0;
  text::Mark mark;
};

/// What launchers in front of a program say about processes; unset: nothing, or nothing known.
struct Processes {
  std::optional<Count> nodes;        // sbatch, srun: --nodes
  std::optional<Count> tasks;        // --ntasks
  std::optional<Count> node_tasks;   // --ntasks-per-node
  std::optional<Count> node_gpus;    // --gpus-per-node, --gres=gpu:8
  std::optional<Count> ranks;        // mpirun -np
  std::optional<Count> torch_nodes;  // torchrun --nnodes
  std::optional<Count> torch_ranks;  // torchrun --nproc-per-node
  bool slurm = false;
  bool torch = false;
  bool elastic = false;  // numbers that are there, but not known: --nnodes=1:4, $N

  /// The number of ranks, where it is known.
  std::optional<Count> world() const;
};

/// One command of a launch script, seen through everything that starts it:
///   srun -N 4 --ntasks-per-node=8 python -u pretrain_gpt.py --bf16
///   → program "pretrain_gpt.py", arguments {--bf16}, processes of 32 ranks
struct LaunchWords {
  std::string program;  // a file or module; "" where its name is not known
  std::vector<shell::Field> arguments;
  std::map<std::string, shell::Field> variables;  // env K=V, mpirun -x K=V, docker -e K=V
  Processes processes;
};

/// Nullopt where no Python program is started.
std::optional<LaunchWords> launch_words(const std::vector<shell::Field>& words);

/// The name of a program without its folders.
std::string program_name(const std::string& program);

/// A field as a word of a command line; what it would need is the whole of its pieces' needs.
Word word_of(const shell::Field& field);

}  // namespace epwise::recipe
