#pragma once

#include <string>

#include "base/os/files.h"

namespace epwise::calibrate {

/// This process within its launch.
struct Launch {
  int rank = 0;
  int size = 1;
  int local_rank = 0;
  int local_size = 1;
  std::string address;  // of rank 0; empty: this host
  int port = 0;
  std::string job;       // distinguishes this launch from others on the same port
  std::string launcher;  // "torchrun", "srun", "mpirun"; empty: none
  std::string said_by;   // "RANK=0 WORLD_SIZE=2"
};

struct LaunchReading {
  Launch launch;
  std::string problem;  // "RANK is set and WORLD_SIZE is not"
};

/// From the environment of torchrun (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT + 1,
/// because torchrun's store uses the port itself), Slurm (SLURM_PROCID, SLURM_NTASKS,
/// SLURM_LOCALID, the first host of SLURM_STEP_NODELIST), Open MPI and PMI, in this order. An
/// incomplete set is reported as a problem instead of running with one rank; so are RANK and
/// WORLD_SIZE without torchrun's other variables.
LaunchReading read_launch(const os::Variables& variables);

/// The first host of Slurm's list: "node[003-010,12],other" → "node003".
std::string first_host(const std::string& list);

}  // namespace epwise::calibrate
