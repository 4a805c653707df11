#include "hw/machine.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/files.h"
#include "base/text/ascii.h"
#include "base/units/version.h"
#include "hw/component.h"
#include "hw/device.h"
#include "hw/file_text.h"
#include "hw/python_environment.h"

namespace epwise::hw {

/// The CUDA toolkit: CUDA_VERSION of NVIDIA's images, otherwise version.json of CUDA_HOME or
/// /usr/local/cuda.
std::optional<Component> find_cuda_toolkit(const os::Files& files, const os::Variables& variables);

/// NCCL outside Python: the target of libnccl.so.2 on LD_LIBRARY_PATH and in the system
/// directories, otherwise NCCL_VERSION of NVIDIA's images, which may be older than a version
/// installed later.
std::optional<Component> find_nccl(const os::Files& files, const os::Variables& variables);

/// GPUs and driver as listed by the kernel module under /proc/driver/nvidia, for containers without
/// a driver library.
Devices devices_in_proc(const os::Files& files);

namespace {

class Inspection {
 public:
  Inspection(const os::Files& files, const os::Variables& variables, const DeviceProbe& probe)
      : files_(files),
        variables_(variables),
        probe_(probe) {}

  Machine run() {
    look_at_devices();
    look_at_container();
    look_at_packages();
    look_at_libraries();
    look_at_job();
    settle_versions();
    judge_absence();
    std::sort(machine_.components.begin(),
              machine_.components.end(),
              [](const Component& a, const Component& b) { return a.name < b.name; });
    return std::move(machine_);
  }

 private:
  void tell(std::string name, std::string value, std::string where) {
    machine_.facts.push_back({std::move(name), std::move(value), std::move(where)});
  }

  void miss(std::string name, std::string reason, std::string remedy) {
    machine_.missing.push_back({std::move(name), std::move(reason), std::move(remedy)});
  }

  const Component* component(std::string_view name) const {
    const auto& all = machine_.components;
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const Component& each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
  }

  void add(Component found) {
    if (component(found.name) == nullptr) {
      machine_.components.push_back(std::move(found));
    }
  }

  void look_at_devices() {
    Devices devices = probe_.devices();
    if (devices.gpus.empty()) {
      Devices listed = devices_in_proc(files_);
      if (!listed.gpus.empty() || devices.where.empty()) {
        devices = std::move(listed);
      }
    }
    if (!devices.driver.empty()) {
      add({"driver", devices.driver, devices.where});
    }
    if (!devices.cuda.empty()) {
      tell("newest CUDA of the driver", devices.cuda, devices.where);
    }
    machine_.gpus = std::move(devices.gpus);
    choose_profile(devices.where);
  }

  void choose_profile(const std::string& where) {
    std::set<std::string> names;
    for (const Gpu& gpu : machine_.gpus) {
      names.insert(gpu.name);
    }
    for (const std::string& name : names) {
      const auto count = std::count_if(machine_.gpus.begin(),
                                       machine_.gpus.end(),
                                       [&](const Gpu& gpu) { return gpu.name == name; });
      tell("GPU", fmt::format("{} × {}", count, name), where);
    }
    if (names.empty()) {
      miss("hw",
           where.empty() ? "no NVIDIA driver found" : "the driver reports no GPU",
           "--hw h100; `epwise hw list` names the others");
    } else if (names.size() > 1) {
      miss("hw", "this node has several kinds of GPU", "--hw NAME of the kind used by the run");
    } else {
      machine_.profile = find_profile_of_device(*names.begin());
      machine_.profile_where = where + ": " + *names.begin();
      if (machine_.profile == nullptr) {
        machine_.profile_where.clear();
        miss("hw",
             fmt::format("no profile for `{}`", *names.begin()),
             "--hw NAME of the closest profile (`epwise hw list`)");
      }
    }
  }

  void look_at_container() {
    const auto version = [&](const std::string& name) {
      return std::string(text::trimmed(variables_.get(name).value_or(""), text::kWhitespace));
    };
    std::string where = "NVIDIA_PYTORCH_VERSION";
    if (const std::string release = version(where); !release.empty()) {
      add({"ngc", release, where});
      machine_.container = "pytorch-" + release;
    }
    // NeMo's image is based on the PyTorch one and replaces much of it, so that release alone would
    // give wrong versions.
    const std::string product = version("NVIDIA_PRODUCT_NAME");
    if (product == "NeMo Framework") {
      const std::string& base = machine_.container;
      tell("container", base.empty() ? product : product + " on " + base, "NVIDIA_PRODUCT_NAME");
      machine_.container.clear();
    }
    // The variable may also contain the NeMo toolkit's version (2.6.0), which is not a release
    // (25.11).
    const std::string nemo = version("NEMO_VERSION");
    if (nemo.size() >= 5 && nemo[0] == '2' && nemo[2] == '.') {
      machine_.container = "nemo-" + nemo;
      where = "NEMO_VERSION";
    }
    if (!machine_.container.empty()) {
      tell("container", machine_.container, where);
    }
  }

  void look_at_packages() {
    const PythonEnvironment python = find_python(files_, variables_);
    python_ = python.where;
    tell("Python", python.version.empty() ? "version unknown" : python.version, python.where);
    for (const std::string& folder : python.folders) {
      tell("packages", folder, python.where);
    }
    if (!python.version.empty()) {
      add({"python", python.version, python.where});
    }
    PythonPackages packages = find_packages(files_, python);
    for (Component& found : packages.components) {
      add(std::move(found));
    }
    for (Missing& problem : packages.problems) {
      machine_.missing.push_back(std::move(problem));
    }
  }

  void look_at_libraries() {
    if (auto cuda = find_cuda_toolkit(files_, variables_)) {
      tell("CUDA toolkit", cuda->version, cuda->where);
      add(std::move(*cuda));
    }
    if (auto nccl = find_nccl(files_, variables_)) {
      add(std::move(*nccl));
    }
  }

  void look_at_job() {
    const JobSize job = find_job_size(variables_);
    machine_.job_gpus = job.gpus;
    machine_.job_where = job.where;
    if (job.gpus) {
      tell("job", fmt::format("{} GPUs", *job.gpus), job.where);
      return;
    }
    const std::size_t here = machine_.gpus.size();
    miss("gpus",
         job.problem.empty() ? "this process is not part of a job" : job.problem,
         here == 0 ? "--gpus 16"
                   : fmt::format("--gpus N; --gpus {} for a run on this node only", here));
  }

  /// A version that cannot be compared is worse than none: it is reported, and left unknown.
  void settle_versions() {
    for (Component& each : machine_.components) {
      if (each.version == "installed" || units::Version::parse(each.version)) {
        continue;
      }
      miss(each.name,
           fmt::format("`{}` in {} is not a version", each.version, each.where),
           fmt::format("--stack {}=VERSION", each.name));
      each.version = "installed";
    }
  }

  void judge_absence() {
    const bool job_python = component("torch") != nullptr;
    for (const std::string_view name : {"te", "deepep", "hybridep"}) {
      if (job_python && component(name) == nullptr) {
        // torch shows that this is the job's Python, so what it lacks the job lacks.
        add({std::string(name), "none", "not in the directories of " + python_});
      }
    }
    const auto want = [&](std::string_view name, std::string_view what, std::string_view example) {
      if (component(name) == nullptr) {
        miss(std::string(name),
             fmt::format("no {} in the directories of {}", what, python_),
             fmt::format("--stack {}={}, or run inside the container", name, example));
      }
    };
    if (component("mcore") == nullptr && component("bridge") == nullptr) {
      miss("mcore",
           "neither Megatron-Bridge nor Megatron-Core is installed here",
           "--stack bridge=0.6.2 or --stack mcore=0.19.0, or run inside the container");
    }
    want("torch", "torch", "2.9.1");
    if (!job_python) {
      want("te", "transformer_engine", "2.14.0");
    }
    const auto library = [&](std::string_view name, std::string_view example) {
      if (component(name) == nullptr) {
        miss(std::string(name),
             "found neither among the packages nor on the system",
             fmt::format("--stack {}={}", name, example));
      }
    };
    library("cuda", "12.9");
    library("nccl", "2.27.7");
  }

  const os::Files& files_;
  const os::Variables& variables_;
  const DeviceProbe& probe_;
  Machine machine_;
  std::string python_;
};

}  // namespace

Machine inspect(const os::Files& files, const os::Variables& variables, const DeviceProbe& probe) {
  return Inspection(files, variables, probe).run();
}

namespace {

constexpr int kMostJobGpus = 1'000'000;

/// A variable with its text and, if it is a count, its number.
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
  return whole && value > 0 && value <= kMostJobGpus ? std::optional(value) : std::nullopt;
}

/// "8" of "8", "h100:8", "gpu:h100:8" and "8(x2)", as Slurm writes it.
std::optional<int> parse_slurm_count(std::string_view text) {
  text = text.substr(0, text.find('('));
  return parse_count(text.substr(text.find_last_of(':') + 1));
}

class JobSizeSearch {
 public:
  explicit JobSizeSearch(const os::Variables& variables) : variables_(variables) {}

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

  /// A product of two variables, unless one of them is not a count.
  bool settle_product(const Variable& nodes, const Variable& each) {
    for (const Variable& variable : {nodes, each}) {
      if (!variable.number) {
        return leave_open(variable.shown() + " is not a count");
      }
    }
    const long long product = static_cast<long long>(*nodes.number) * *each.number;
    if (product > kMostJobGpus) {
      return leave_open(
          fmt::format("{} × {} is not a plausible job size", nodes.shown(), each.shown()));
    }
    return settle(static_cast<int>(product), fmt::format("{} × {}", nodes.shown(), each.shown()));
  }

  /// Inside a worker: LOCAL_WORLD_SIZE distinguishes it from a machine under Kubernetes.
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
      return leave_open(fmt::format(
          "{} is neither one task per node nor one per GPU ({})", tasks->shown(), product));
    }
    return true;
  }

  /// A cluster that does not configure GPUs in Slurm: several tasks per node mean one per GPU.
  bool from_slurm_tasks(const Variable& nodes, const std::optional<Variable>& tasks) {
    const bool several = tasks && tasks->number && nodes.number && *tasks->number > *nodes.number &&
                         *tasks->number % *nodes.number == 0;
    if (!several) {
      return leave_open(nodes.shown() + " without SLURM_GPUS_ON_NODE or SLURM_GPUS_PER_NODE");
    }
    return settle(*tasks->number, tasks->shown() + ", assumed to be one task per GPU");
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

  const os::Variables& variables_;
  JobSize size_;
};

}  // namespace

JobSize find_job_size(const os::Variables& variables) {
  return JobSizeSearch(variables).run();
}

namespace {

/// The leading "13.0.2" of "13.0.2.006" or "2.27.7-1": what rules compare.
std::string leading_version(std::string_view text, int parts) {
  std::size_t end = 0;
  while (end < text.size()) {
    const char letter = text[end];
    if (letter == '.') {
      if (--parts == 0) {
        break;
      }
    } else if (letter < '0' || letter > '9') {
      break;
    }
    ++end;
  }
  text = text.substr(0, end);
  while (text.ends_with('.')) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

/// The first word that is a dotted number: the driver's version in its banner.
std::string first_version(std::string_view line) {
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
      return {};
    }
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (word.find('.') != std::string_view::npos &&
        word.find_first_not_of("0123456789.") == std::string_view::npos) {
      return std::string(word);
    }
    line.remove_prefix(word.size());
  }
  return {};
}

std::optional<Component> from_variable(const os::Variables& variables,
                                       const std::string& name,
                                       const std::string& component) {
  const std::string version = leading_version(variables.get(name).value_or(""), 3);
  if (version.empty()) {
    return std::nullopt;
  }
  return Component{component, version, name};
}

}  // namespace

std::optional<Component> find_cuda_toolkit(const os::Files& files, const os::Variables& variables) {
  if (auto found = from_variable(variables, "CUDA_VERSION", "cuda")) {
    return found;
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", ""}) {
    const auto home =
        *variable == '\0' ? std::optional<std::string>("/usr/local/cuda") : variables.get(variable);
    const std::string path = home.value_or("") + "/version.json";
    const auto text = home ? file_head(files, path) : std::nullopt;
    if (!text) {
      continue;
    }
    const std::size_t entry = text->find("\"cuda\"");
    const std::string_view rest =
        entry == std::string::npos ? std::string_view{} : std::string_view(*text).substr(entry);
    const std::string version = leading_version(quoted_after(rest, "\"version\""), 3);
    if (!version.empty()) {
      return Component{"cuda", version, path};
    }
  }
  return std::nullopt;
}

std::optional<Component> find_nccl(const os::Files& files, const os::Variables& variables) {
  constexpr std::string_view kLibrary = "libnccl.so.2";
  std::vector<std::string> folders = split_paths(variables.get("LD_LIBRARY_PATH").value_or(""));
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64",
                             "/usr/local/lib"}) {
    folders.emplace_back(folder);
  }
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + std::string(kLibrary);
    const auto real = files.is_file(path) ? files.canonical(path) : std::nullopt;
    const std::size_t name = real ? real->rfind("libnccl.so.") : std::string::npos;
    if (name == std::string::npos) {
      continue;
    }
    constexpr std::size_t kPrefix = std::string_view("libnccl.so.").size();
    const std::string version = leading_version(std::string_view(*real).substr(name + kPrefix), 3);
    if (version.find('.') != std::string::npos) {
      return Component{"nccl", version, *real};
    }
  }
  return from_variable(variables, "NCCL_VERSION", "nccl");
}

Devices devices_in_proc(const os::Files& files) {
  const std::string root = "/proc/driver/nvidia";
  Devices found;
  const std::string banner = file_head(files, root + "/version").value_or("");
  for (const std::string_view line : lines_of(banner)) {
    if (line.starts_with("NVRM")) {
      found.driver = first_version(line);
    }
  }
  for (const std::string& gpu : os::list_if_possible(files, root + "/gpus")) {
    std::string path = root + "/gpus/";
    path.append(gpu).append("/information");
    const std::string text = file_head(files, path).value_or("");
    for (const std::string_view line : lines_of(text)) {
      constexpr std::string_view kKey = "Model:";
      if (line.starts_with(kKey)) {
        found.gpus.push_back(
            {std::string(text::trimmed(line.substr(kKey.size()), text::kWhitespace)), 0});
      }
    }
  }
  if (!found.gpus.empty() || !found.driver.empty()) {
    found.where = root;
  }
  return found;
}

}  // namespace epwise::hw
