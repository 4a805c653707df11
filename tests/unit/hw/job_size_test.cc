#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "hw/machine.h"
#include "support/memory_files.h"

namespace {

struct Row {
  const char* what;
  std::map<std::string, std::string> variables;
  int gpus;           // 0: open
  std::string words;  // where it was learnt, or why it is open
};

}  // namespace

TEST_CASE("the world size from the environment of the job") {
  const std::vector<Row> rows = {
      {"no job", {}, 0, ""},
      {"torchrun worker",
       {{"WORLD_SIZE", "16"}, {"LOCAL_WORLD_SIZE", "8"}, {"RANK", "3"}},
       16,
       "WORLD_SIZE=16"},
      {"torchrun inside Slurm: the worker knows best",
       {{"WORLD_SIZE", "8"},
        {"LOCAL_WORLD_SIZE", "4"},
        {"SLURM_NNODES", "4"},
        {"SLURM_GPUS_ON_NODE", "8"}},
       8,
       "WORLD_SIZE=8"},
      {"WORLD_SIZE alone",
       {{"WORLD_SIZE", "4"}, {"RANK", "0"}},
       0,
       "WORLD_SIZE=4 alone counts processes under torchrun, machines under Kubernetes"},
      {"Slurm, one task a node",
       {{"SLURM_NNODES", "2"}, {"SLURM_NTASKS", "2"}, {"SLURM_GPUS_ON_NODE", "8"}},
       16,
       "SLURM_NNODES=2 × SLURM_GPUS_ON_NODE=8"},
      {"Slurm, one task a GPU",
       {{"SLURM_JOB_NUM_NODES", "4"},
        {"SLURM_NNODES", "4"},
        {"SLURM_NTASKS", "16"},
        {"SLURM_GPUS_ON_NODE", "4"}},
       16,
       "SLURM_JOB_NUM_NODES=4 × SLURM_GPUS_ON_NODE=4"},
      {"Slurm, one step with one task",
       {{"SLURM_NNODES", "2"}, {"SLURM_NTASKS", "1"}, {"SLURM_GPUS_ON_NODE", "8"}},
       16,
       "SLURM_NNODES=2 × SLURM_GPUS_ON_NODE=8"},
      {"Slurm, GPUs with their kind",
       {{"SLURM_NNODES", "2"}, {"SLURM_GPUS_PER_NODE", "h100:8"}},
       16,
       "SLURM_NNODES=2 × SLURM_GPUS_PER_NODE=h100:8"},
      {"Slurm, a list of counts",
       {{"SLURM_NNODES", "2"}, {"SLURM_GPUS_PER_NODE", "8(x2)"}},
       16,
       "SLURM_NNODES=2 × SLURM_GPUS_PER_NODE=8(x2)"},
      {"Slurm, odd number of tasks",
       {{"SLURM_NNODES", "4"}, {"SLURM_NTASKS", "16"}, {"SLURM_GPUS_ON_NODE", "8"}},
       0,
       "SLURM_NTASKS=16 is neither one task per node nor one per GPU (SLURM_NNODES=4 × "
       "SLURM_GPUS_ON_NODE=8)"},
      {"Slurm that knows no GPUs",
       {{"SLURM_NNODES", "4"}, {"SLURM_NTASKS", "32"}},
       32,
       "SLURM_NTASKS=32, assumed to be one task per GPU"},
      {"Slurm that knows no GPUs, one task a node",
       {{"SLURM_NNODES", "4"}, {"SLURM_NTASKS", "4"}},
       0,
       "SLURM_NNODES=4 without SLURM_GPUS_ON_NODE or SLURM_GPUS_PER_NODE"},
      {"Slurm with nonsense",
       {{"SLURM_NNODES", "many"}, {"SLURM_GPUS_ON_NODE", "8"}},
       0,
       "SLURM_NNODES=many is not a count"},
      {"Slurm with too much",
       {{"SLURM_NNODES", "999999"}, {"SLURM_GPUS_ON_NODE", "999999"}},
       0,
       "SLURM_NNODES=999999 × SLURM_GPUS_ON_NODE=999999 is not a plausible job size"},
      {"Kubeflow",
       {{"PET_NNODES", "4"}, {"PET_NPROC_PER_NODE", "8"}, {"WORLD_SIZE", "4"}},
       32,
       "PET_NNODES=4 × PET_NPROC_PER_NODE=8"},
      {"Kubeflow, elastic",
       {{"PET_NNODES", "1:4"}, {"PET_NPROC_PER_NODE", "8"}},
       0,
       "PET_NNODES=1:4 is not a count"},
      {"mpirun", {{"OMPI_COMM_WORLD_SIZE", "64"}}, 64, "OMPI_COMM_WORLD_SIZE=64"},
      {"empty variables count as unset", {{"SLURM_NNODES", ""}, {"WORLD_SIZE", ""}}, 0, ""},
      {"zero, negative and huge are no counts",
       {{"SLURM_NNODES", "0"}, {"SLURM_GPUS_ON_NODE", "8"}},
       0,
       "SLURM_NNODES=0 is not a count"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.what));
    const auto size = epwise::hw::find_job_size(epwise::support::MemoryVariables(row.variables));
    CHECK(size.gpus.value_or(0) == row.gpus);
    CHECK((size.gpus ? size.where : size.problem) == row.words);
  }
}
