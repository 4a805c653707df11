// Several processes: launches, gathering, dead ranks and strangers.

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "calibrate/ranks/launch.h"
#include "calibrate/ranks/socket_ranks.h"
#include "calibrate/ranks/wire.h"

namespace epwise::calibrate {

namespace {

class LaunchVariables : public os::Variables {
 public:
  explicit LaunchVariables(std::map<std::string, std::string> values)
      : values_(std::move(values)) {}

  std::optional<std::string> get(const std::string& name) const override {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional<std::string>(found->second);
  }

 private:
  std::map<std::string, std::string> values_;
};

int free_port() {
  static int next = 21000 + static_cast<int>(getpid()) % 9000;
  return ++next;
}

/// Runs `work` as ranks 1 … of a launch in processes of their own; they exit with what it returns.
class Others {
 public:
  Others(const Launch& launch, const std::function<int(const Launch&)>& work) {
    for (int rank = 1; rank < launch.size; ++rank) {
      const pid_t id = fork();
      if (id == 0) {
        Launch own = launch;
        own.rank = rank;
        own.local_rank = rank;
        _exit(work(own));
      }
      ids_.push_back(id);
    }
  }

  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;

  ~Others() { codes(); }

  std::vector<int> codes() {
    for (const pid_t id : ids_) {
      int status = 0;
      waitpid(id, &status, 0);
      codes_.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    ids_.clear();
    return codes_;
  }

 private:
  std::vector<pid_t> ids_;
  std::vector<int> codes_;
};

Launch launch_of(int size) {
  Launch launch;
  launch.size = size;
  launch.port = free_port();
  launch.job = "test";
  return launch;
}

std::string lost_text(const std::function<void()>& work) {
  try {
    work();
  } catch (const RankLost& lost) {
    return lost.what();
  }
  return {};
}

}  // namespace

TEST_CASE("everybody gets what everybody gave") {
  const Launch launch = launch_of(5);
  Others others(launch, [](const Launch& own) {
    const auto ranks = join_ranks(own, 20);
    for (int round = 0; round < 50; ++round) {
      const auto all =
          ranks->all_gather(std::string(static_cast<std::size_t>(own.rank * round), 'x'));
      if (all.size() != 5 || all[3].size() != static_cast<std::size_t>(3 * round)) {
        return 1;
      }
    }
    return ranks->broadcast("mine") == "the id\nof all" ? 0 : 2;
  });
  const auto ranks = join_ranks(launch, 20);
  for (int round = 0; round < 50; ++round) {
    CHECK(ranks->all_gather("").at(4).size() == static_cast<std::size_t>(4 * round));
  }
  ranks->broadcast("the id\nof all");
  CHECK(others.codes() == std::vector<int>{0, 0, 0, 0});
}

TEST_CASE("a dead rank is named to all others") {
  const Launch launch = launch_of(4);
  Others others(launch, [](const Launch& own) {
    const auto ranks = join_ranks(own, 20);
    ranks->barrier();
    if (own.rank == 2) {
      return 7;  // without a word
    }
    const std::string text = lost_text([&ranks] { ranks->barrier(); });
    return text.find("rank 2 (host ") == 0 &&
                   text.find("local rank 2): it ended") != std::string::npos
               ? 0
               : 1;
  });
  const auto ranks = join_ranks(launch, 20);
  ranks->barrier();
  const std::string text = lost_text([&ranks] { ranks->barrier(); });
  CHECK(text.find("rank 2 (host ") == 0);
  CHECK(others.codes() == std::vector<int>{0, 7, 0});
}

TEST_CASE("a hung rank ends the run within the time-out") {
  const Launch launch = launch_of(3);
  Others others(launch, [](const Launch& own) {
    const auto ranks = join_ranks(own, 1);
    if (own.rank == 1) {
      sleep(4);
      return 7;
    }
    return lost_text([&ranks] { ranks->barrier(); }).find("no answer for 1 s") != std::string::npos
               ? 0
               : 1;
  });
  const auto ranks = join_ranks(launch, 1);
  const double begin = steady_seconds();
  const std::string text = lost_text([&ranks] { ranks->barrier(); });
  CHECK(text.find("rank 1 (") == 0);
  CHECK(text.find("no answer for 1 s") != std::string::npos);
  CHECK(steady_seconds() - begin < 3.5);
  CHECK(others.codes() == std::vector<int>{7, 0});
}

TEST_CASE("a dead rank 0, one that never came, and a stranger") {
  Launch launch = launch_of(2);
  {
    Others others(launch, [](const Launch& own) {
      const auto ranks = join_ranks(own, 20);
      return lost_text([&ranks] {
               ranks->barrier();
               ranks->barrier();
             }) == "rank 0 ended"
                 ? 0
                 : 1;
    });
    { join_ranks(launch, 20)->barrier(); }
    CHECK(others.codes() == std::vector<int>{0});
  }
  launch.port = free_port();
  CHECK(lost_text([&launch] { join_ranks(launch, 0.3); }) ==
        "rank 1 did not connect before the time-out");
  launch.port = free_port();
  Others strangers(launch, [](Launch own) {
    own.job = "another";
    const std::string text = lost_text([&own] { join_ranks(own, 5)->barrier(); });
    return text == "it does not belong to this launch" ? 0 : 1;
  });
  CHECK(!lost_text([&launch] { join_ranks(launch, 1); }).empty());
  CHECK(strangers.codes() == std::vector<int>{0});
}

TEST_CASE("launchers") {
  const auto read = [](const std::map<std::string, std::string>& values) {
    return read_launch(LaunchVariables(values));
  };
  CHECK(read({}).launch.size == 1);
  const LaunchReading torch = read({{"RANK", "9"},
                                    {"WORLD_SIZE", "16"},
                                    {"LOCAL_RANK", "1"},
                                    {"LOCAL_WORLD_SIZE", "8"},
                                    {"MASTER_ADDR", "node1"},
                                    {"MASTER_PORT", "29400"},
                                    {"SLURM_PROCID", "1"},
                                    {"SLURM_NTASKS", "2"}});
  CHECK(torch.problem.empty());
  CHECK(torch.launch.launcher == "torchrun");
  CHECK(torch.launch.rank == 9);
  CHECK(torch.launch.local_rank == 1);
  CHECK(torch.launch.port == 29401);
  const LaunchReading slurm = read({{"SLURM_PROCID", "3"},
                                    {"SLURM_NTASKS", "16"},
                                    {"SLURM_LOCALID", "3"},
                                    {"SLURM_JOB_ID", "77"},
                                    {"SLURM_STEP_ID", "0"},
                                    {"SLURM_STEP_NODELIST", "b[07-08],c1"}});
  CHECK(slurm.launch.address == "b07");
  CHECK(slurm.launch.port == 20539);
  CHECK(read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}).launch.size == 1);
  // The script of sbatch has both, and no step.
  CHECK(read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}}).launch.size == 1);
  // The shell of salloc may be a step, of one task.
  CHECK(read({{"SLURM_PROCID", "0"},
              {"SLURM_NTASKS", "16"},
              {"SLURM_STEP_ID", "4294967290"},
              {"SLURM_STEP_NUM_TASKS", "1"}})
            .launch.size == 1);
  CHECK(read({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}).launch.size == 4);
  CHECK(read({{"RANK", "first"}, {"WORLD_SIZE", "4"}}).problem ==
        "RANK is `first`, which is not a number");
  CHECK(read({{"RANK", "1"}}).problem.find("WORLD_SIZE is not") != std::string::npos);
  CHECK(!read({{"RANK", "4"}, {"WORLD_SIZE", "4"}}).problem.empty());
  // Left over in a shell: torchrun sets more.
  CHECK(read({{"RANK", "0"}, {"WORLD_SIZE", "2"}}).problem.find("MASTER_ADDR is not") !=
        std::string::npos);
  CHECK(
      read({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}).problem.find("unset RANK") !=
      std::string::npos);
  CHECK(read({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).problem.empty());
  CHECK(torch.launch.said_by == "RANK=9 WORLD_SIZE=16");
  CHECK(read({{"OMPI_COMM_WORLD_RANK", "9"},
              {"OMPI_COMM_WORLD_SIZE", "16"},
              {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}})
            .problem.find("MASTER_ADDR") != std::string::npos);
}

TEST_CASE("the first of Slurm's hosts") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"a1", "a1"},
      {"a1,a2", "a1"},
      {"a[01-03,7],b2", "a01"},
      {"a[7]", "a7"},
      {"rack[1-2]-n[01,03-16],b", "rack1-n01"},
      {"", ""},
      {"a[", ""},
      {"x,a[1-2]", "x"}};
  for (const auto& row : rows) {
    CAPTURE(row.first);
    CHECK(first_host(row.first) == row.second);
  }
}

}  // namespace epwise::calibrate
