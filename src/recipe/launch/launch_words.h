#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/arguments/arguments.h"
#include "recipe/load.h"
#include "recipe/rank_count.h"
#include "recipe/recipe.h"
#include "recipe/shell/field.h"
#include "recipe/shell/interpreter.h"

namespace epwise::recipe {

/// Adds the variables set by a launcher's word, from a given offset on: K=V, also K=V,L=W as
/// accepted by some containers. Any other word adds nothing; the later value of a name wins.
///   `A=1,B=2` → A: 1, B: 2
void add_variables(const shell::Field& word,
                   std::size_t begin,
                   std::map<std::string, shell::Field>& variables);

/// Comma-separated, in a word without variables; names without a value are skipped: `ALL,A=1` → A:
/// 1
void add_variable_list(const shell::Field& word,
                       std::size_t begin,
                       std::map<std::string, shell::Field>& variables);

/// Only K=V, with everything after the sign as the value: `A=1,B=2` → A: "1,B=2".
void add_variable(const shell::Field& word,
                  std::size_t begin,
                  std::map<std::string, shell::Field>& variables);

/// The resulting environment value: the text, or the names needed to determine it.
Variable variable_of(const shell::Field& value, const text::Mark& key);

/// An integer with its location.
struct Count {
  std::int64_t value = 0;
  text::Mark mark;
};

/// torchrun --node-rank, which differs from node to node.
struct NodeRank {
  text::Mark mark;
  std::optional<std::int64_t> value;
  bool of_task = false;      // a variable that srun sets for each task: $SLURM_NODEID
  bool before_srun = false;  // … that is expanded before srun starts anything
};

/// Process counts given by the launchers before a program; unset: not given or unknown.
struct Processes {
  std::optional<Count> nodes;            // sbatch, srun: --nodes
  std::optional<Count> allocated_nodes;  // sbatch alone
  std::optional<Count> tasks;            // --ntasks
  bool own_tasks = false;                // … of srun itself
  std::optional<Count> node_tasks;       // --ntasks-per-node
  std::optional<Count> node_gpus;        // --gpus-per-node, --gres=gpu:8
  std::optional<Count> ranks;            // mpirun -np
  std::optional<Count> torch_nodes;      // torchrun --nnodes
  std::optional<Count> torch_ranks;      // torchrun --nproc-per-node
  bool slurm = false;
  bool srun = false;
  std::size_t srun_word = 0;  // its position in the command
  bool remote = false;        // mpirun, ssh or pdsh starts it, which may reach other nodes
  bool torch = false;
  bool addressed = false;  // torchrun's options name a meeting point, or may do so
  // a rendezvous other than the static one, which gives out node ranks itself
  bool dynamic = false;
  std::optional<NodeRank> node_rank;
  bool elastic = false;  // numbers that are given but unknown: --nnodes=1:4, $N

  /// The number of ranks, if known.
  std::optional<Ranks> world() const;
};

/// One command of a launch script, with all its launchers:
///   srun -N 4 --ntasks-per-node=8 python -u pretrain_gpt.py --bf16
///   → program "pretrain_gpt.py", arguments {--bf16}, processes of 32 ranks
struct LaunchWords {
  std::string program;  // a file or module; "" if its name is unknown
  std::vector<shell::Field> arguments;
  std::map<std::string, shell::Field> variables;  // env K=V, mpirun -x K=V, docker -e K=V
  Processes processes;
  bool by_other = false;  // a launcher of another framework starts it: deepspeed, accelerate
};

/// Nullopt if it starts no Python program.
std::optional<LaunchWords> launch_words(const std::vector<shell::Field>& words);

/// The name of a program without its directories.
std::string program_name(const std::string& program);

/// A field as a word of a command line; its needs are the union of its pieces' needs.
Word word_of(const shell::Field& field);

/// The last value of one of a program's own options: the next word, or the word that contains both;
/// null pointer if absent.
const shell::Field* option(const LaunchWords& launch,
                           std::string_view name,
                           std::string_view short_name = {});

/// The value in such a word: "--config=a.yaml" → "a.yaml".
std::string option_text(const shell::Field& field);

/// recipe/missing-file, if a named file cannot be read and its name is certainly misspelt.
void report_slip(Recipe& recipe, const shell::Field& named, const Request& request);

/// recipe/unread-file, if a file exists that epwise does not read: a pipe or a device.
void report_refused(Recipe& recipe, const shell::Field& named, const Request& request);

}  // namespace epwise::recipe
