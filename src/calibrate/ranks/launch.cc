#include "calibrate/ranks/launch.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace epwise::calibrate {

namespace {

constexpr int kPortOffset = 1;
constexpr int kFirstPort = 20000;
constexpr int kPorts = 20000;
constexpr int kUsualPort = 29500;

/// The variables set by one launcher.
struct Names {
  std::string_view launcher;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
};

constexpr std::array<Names, 4> kLaunchers = {
    {{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
     {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"},
     {"mpirun",
      "OMPI_COMM_WORLD_RANK",
      "OMPI_COMM_WORLD_SIZE",
      "OMPI_COMM_WORLD_LOCAL_RANK",
      "OMPI_COMM_WORLD_LOCAL_SIZE"},
     {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}}};

std::optional<int> number_in(const os::Variables& variables, const char* name) {
  const auto text = variables.get(name);
  if (!text) {
    return std::nullopt;
  }
  int value = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text->data() + text->size();
  return whole ? std::optional<int>(value) : std::nullopt;
}

/// "RANK is `first`, which is not a number"; empty: valid.
std::string unread_number(const os::Variables& variables, const Names& names) {
  for (const char* name : {names.rank, names.size}) {
    if (variables.get(name) && !number_in(variables, name)) {
      return fmt::format("{} is `{}`, which is not a number", name, *variables.get(name));
    }
  }
  return {};
}

/// Jobs on one host are distinguished by their number.
int port_of_job(const os::Variables& variables) {
  const int job = number_in(variables, "SLURM_JOB_ID").value_or(0) % kPorts;
  const int step = number_in(variables, "SLURM_STEP_ID").value_or(0) % kPorts;
  return kFirstPort + (job * 7 + step) % kPorts;
}

void find_rank_zero(const os::Variables& variables, Launch& launch) {
  launch.address = variables.get("MASTER_ADDR").value_or("");
  launch.port = number_in(variables, "MASTER_PORT").value_or(kUsualPort) + kPortOffset;
  launch.job = variables.get("TORCHELASTIC_RUN_ID").value_or("");
  if (launch.launcher != "srun") {
    return;
  }
  launch.job = variables.get("SLURM_JOB_ID").value_or("") + "." +
               variables.get("SLURM_STEP_ID").value_or("");
  if (!variables.get("MASTER_PORT")) {
    launch.port = port_of_job(variables);
  }
  if (launch.address.empty()) {
    const auto step = variables.get("SLURM_STEP_NODELIST");
    launch.address = first_host(step ? *step : variables.get("SLURM_JOB_NODELIST").value_or(""));
  }
}

/// torchrun sets all of these; a shell with a left-over RANK has not.
std::string half_of_torchrun(const os::Variables& variables, const Launch& launch) {
  if (launch.launcher != "torchrun" || launch.size == 1) {
    return {};
  }
  for (const char* name : {"MASTER_ADDR", "MASTER_PORT"}) {
    if (!variables.get(name)) {
      return fmt::format(
          "RANK={} and WORLD_SIZE={} are set and {} is not, so torchrun did not set them: start "
          "epwise with torchrun, or `unset RANK WORLD_SIZE` for a single-rank run",
          launch.rank,
          launch.size,
          name);
    }
  }
  return {};
}

std::string launch_problem(const Launch& launch, const Names& names, bool several_hosts) {
  constexpr int kMostRanks = 100000;
  if (launch.size < 1 || launch.size > kMostRanks || launch.rank < 0 ||
      launch.rank >= launch.size || launch.local_rank < 0) {
    return fmt::format(
        "{} {} of {} {} is not a valid rank", names.rank, launch.rank, names.size, launch.size);
  }
  if (several_hosts && launch.address.empty()) {
    return fmt::format("{} does not give the address of rank 0: set MASTER_ADDR (and MASTER_PORT)",
                       launch.launcher);
  }
  return {};
}

/// In the shell of salloc or the script of sbatch, without srun.
bool is_job_shell(const os::Variables& variables,
                  const std::optional<int>& rank,
                  const std::optional<int>& size) {
  const bool step = variables.get("SLURM_STEP_ID") || variables.get("SLURM_STEPID");
  return !rank || !step || size.value_or(1) == 1;
}

}  // namespace

LaunchReading read_launch(const os::Variables& variables) {
  LaunchReading reading;
  for (const Names& names : kLaunchers) {
    const auto rank = number_in(variables, names.rank);
    auto size = number_in(variables, names.size);
    if (const auto tasks = number_in(variables, "SLURM_STEP_NUM_TASKS");
        tasks && names.launcher == "srun") {
      size = tasks;  // of this step; in the shell of salloc, a separate step, one
    }
    if (!rank && !size) {
      continue;
    }
    if (names.launcher == "srun" && is_job_shell(variables, rank, size)) {
      continue;
    }
    if (const std::string unread = unread_number(variables, names); !unread.empty()) {
      reading.problem = unread;
      return reading;
    }
    if (!rank || !size) {
      reading.problem =
          fmt::format("{} is set and {} is not: start epwise with a launcher, or unset it",
                      rank ? names.rank : names.size,
                      rank ? names.size : names.rank);
      return reading;
    }
    Launch& launch = reading.launch;
    launch.launcher = names.launcher;
    launch.rank = *rank;
    launch.size = *size;
    launch.local_rank = number_in(variables, names.local_rank).value_or(*rank);
    const auto local_size = number_in(variables, names.local_size);
    launch.local_size = local_size.value_or(*size);
    find_rank_zero(variables, launch);
    launch.said_by = fmt::format("{}={} {}={}", names.rank, *rank, names.size, *size);
    reading.problem = launch_problem(launch, names, local_size.has_value() && *local_size < *size);
    if (reading.problem.empty()) {
      reading.problem = half_of_torchrun(variables, launch);
    }
    return reading;
  }
  return reading;
}

std::string first_host(const std::string& list) {
  const std::size_t bracket = list.find('[');
  const std::size_t comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) {
    return list.substr(0, comma);
  }
  const std::size_t end = list.find_first_of(",-]", bracket + 1);
  const std::size_t close = list.find(']', bracket);
  if (end == std::string::npos || close == std::string::npos) {
    return {};
  }
  return list.substr(0, bracket) + list.substr(bracket + 1, end - bracket - 1) +
         first_host(list.substr(close + 1));
}

}  // namespace epwise::calibrate
