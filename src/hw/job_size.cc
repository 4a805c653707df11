#include "hw/job_size.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace epwise::hw {

namespace {

constexpr int kMostGpus = 1'000'000;

/// A variable with its text and, when it counts something, its number.
struct Variable {
  std::string name;
  std::string text;
  std::optional<int> number;

  std::string shown() const { return name + "=" + text; }
};

std::optional<int> parse_count(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value > 0 && value <= kMostGpus ? std::optional(value) : std::nullopt;
}

/// "8" of "8", "h100:8", "gpu:h100:8" and "8(x2)", as Slurm writes it.
std::optional<int> parse_slurm_count(std::string_view text) {
  text = text.substr(0, text.find('('));
  return parse_count(text.substr(text.find_last_of(':') + 1));
}

class Look {
 public:
  explicit Look(const world::Variables& variables) : variables_(variables) {}

  JobSize run() {
    from_torchrun() || from_slurm() || from_kubeflow() || from_mpi() || from_world_size();
    return size_;
  }

 private:
  using Parse = std::optional<int>(std::string_view);

  std::optional<Variable> get(std::initializer_list<std::string_view> names,
                              Parse* parse = parse_count) const {
    for (const std::string_view name : names) {
      const auto text = variables_.get(std::string(name));
      if (text && !text->empty()) {
        return Variable{std::string(name), *text, parse(*text)};
      }
    }
    return std::nullopt;
  }

  bool settle(int gpus, std::string where) {
    size_.gpus = gpus;
    size_.where = std::move(where);
    return true;
  }

  bool leave_open(std::string problem) {
    size_.problem = std::move(problem);
    return true;
  }

  /// A product of two variables, unless one of them is no count.
  bool settle_product(const Variable& nodes, const Variable& each) {
    for (const Variable& variable : {nodes, each}) {
      if (!variable.number) {
        return leave_open(variable.shown() + " is no count");
      }
    }
    const long long product = static_cast<long long>(*nodes.number) * *each.number;
    if (product > kMostGpus) {
      return leave_open(fmt::format("{} × {} is no believable job", nodes.shown(), each.shown()));
    }
    return settle(static_cast<int>(product), fmt::format("{} × {}", nodes.shown(), each.shown()));
  }

  /// Inside a worker: LOCAL_WORLD_SIZE tells it from a machine under Kubernetes.
  bool from_torchrun() {
    const auto world = get({"WORLD_SIZE"});
    const auto local = get({"LOCAL_WORLD_SIZE"});
    if (!world || !local || !world->number || !local->number) {
      return false;
    }
    return settle(*world->number, world->shown());
  }

  bool from_slurm() {
    const auto nodes = get({"SLURM_JOB_NUM_NODES", "SLURM_NNODES"});
    if (!nodes) {
      return false;
    }
    const auto tasks = get({"SLURM_NTASKS", "SLURM_NPROCS"});
    const auto gpus = get({"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"}, parse_slurm_count);
    if (!gpus) {
      return from_slurm_tasks(*nodes, tasks);
    }
    settle_product(*nodes, *gpus);
    if (size_.gpus && tasks && tasks->number && *tasks->number != *nodes->number &&
        *tasks->number != *size_.gpus && *tasks->number != 1) {
      const std::string product = size_.where;
      size_ = {};
      return leave_open(
          fmt::format("{} is neither one task a node nor one a GPU ({})", tasks->shown(), product));
    }
    return true;
  }

  /// A cluster that doesn't tell Slurm about GPUs: several tasks a node are one a GPU.
  bool from_slurm_tasks(const Variable& nodes, const std::optional<Variable>& tasks) {
    const bool several = tasks && tasks->number && nodes.number && *tasks->number > *nodes.number &&
                         *tasks->number % *nodes.number == 0;
    if (!several) {
      return leave_open(nodes.shown() + " without SLURM_GPUS_ON_NODE or SLURM_GPUS_PER_NODE");
    }
    return settle(*tasks->number, tasks->shown() + ", taken as one task a GPU");
  }

  bool from_kubeflow() {
    const auto nodes = get({"PET_NNODES"});
    const auto each = get({"PET_NPROC_PER_NODE"});
    return nodes && each && settle_product(*nodes, *each);
  }

  bool from_mpi() {
    const auto size = get({"OMPI_COMM_WORLD_SIZE"});
    return size && size->number && settle(*size->number, size->shown());
  }

  bool from_world_size() {
    const auto world = get({"WORLD_SIZE"});
    return world && leave_open(world->shown() +
                               " alone counts processes under torchrun, machines under Kubernetes");
  }

  const world::Variables& variables_;
  JobSize size_;
};

}  // namespace

JobSize find_job_size(const world::Variables& variables) {
  return Look(variables).run();
}

}  // namespace epwise::hw
