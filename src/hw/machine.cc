#include "hw/machine.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hw/cuda_libraries.h"
#include "hw/file_text.h"
#include "hw/job_size.h"
#include "hw/python_environment.h"
#include "hw/python_packages.h"
#include "units/version.h"

namespace epwise::hw {

namespace {

class Inspection {
 public:
  Inspection(const world::Files& files, const world::Variables& variables, const DeviceProbe& probe)
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
      tell("driver's newest CUDA", devices.cuda, devices.where);
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
           where.empty() ? "no NVIDIA driver answers here" : "the driver shows no GPU",
           "--hw h100; `epwise hw list` names the others");
    } else if (names.size() > 1) {
      miss("hw", "this node mixes kinds of GPUs", "--hw NAME of the kind that the run uses");
    } else {
      machine_.profile = find_profile_of_device(*names.begin());
      machine_.profile_where = where + ": " + *names.begin();
      if (machine_.profile == nullptr) {
        machine_.profile_where.clear();
        miss("hw",
             fmt::format("no profile describes `{}`", *names.begin()),
             "--hw NAME of the nearest one (`epwise hw list`)");
      }
    }
  }

  void look_at_container() {
    const auto version = [&](const std::string& name) {
      return std::string(trimmed(variables_.get(name).value_or("")));
    };
    std::string where = "NVIDIA_PYTORCH_VERSION";
    if (const std::string release = version(where); !release.empty()) {
      add({"ngc", release, where});
      machine_.container = "pytorch-" + release;
    }
    // NeMo's image stands on the PyTorch one and replaces much of it, so that release alone would
    // name wrong versions.
    const std::string product = version("NVIDIA_PRODUCT_NAME");
    if (product == "NeMo Framework") {
      const std::string& base = machine_.container;
      tell("container", base.empty() ? product : product + " on " + base, "NVIDIA_PRODUCT_NAME");
      machine_.container.clear();
    }
    // The variable may also hold the NeMo toolkit's version (2.6.0), which is no release (25.11).
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
    tell("Python", python.version.empty() ? "version not known" : python.version, python.where);
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
         job.problem.empty() ? "no job around this process" : job.problem,
         here == 0 ? "--gpus 16"
                   : fmt::format("--gpus N; --gpus {} for a run on this node alone", here));
  }

  /// A version that nobody can compare is worse than none: it is said, and left open.
  void settle_versions() {
    for (Component& each : machine_.components) {
      if (each.version == "installed" || units::Version::parse(each.version)) {
        continue;
      }
      miss(each.name,
           fmt::format("`{}` in {} is no version", each.version, each.where),
           fmt::format("--stack {}=VERSION", each.name));
      each.version = "installed";
    }
  }

  void judge_absence() {
    const bool job_python = component("torch") != nullptr;
    for (const std::string_view name : {"te", "deepep", "hybridep"}) {
      if (job_python && component(name) == nullptr) {
        // torch shows that this is the Python of the job, so what it lacks the job lacks.
        add({std::string(name), "none", "not in the folders of " + python_});
      }
    }
    const auto want = [&](std::string_view name, std::string_view what, std::string_view example) {
      if (component(name) == nullptr) {
        miss(std::string(name),
             fmt::format("no {} in the folders of {}", what, python_),
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
             "neither packages nor the system show it",
             fmt::format("--stack {}={}", name, example));
      }
    };
    library("cuda", "12.9");
    library("nccl", "2.27.7");
  }

  const world::Files& files_;
  const world::Variables& variables_;
  const DeviceProbe& probe_;
  Machine machine_;
  std::string python_;
};

}  // namespace

Machine inspect(const world::Files& files,
                const world::Variables& variables,
                const DeviceProbe& probe) {
  return Inspection(files, variables, probe).run();
}

}  // namespace epwise::hw
