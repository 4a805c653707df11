#include "hw/machine.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "support/machine_files.h"

namespace {

using epwise::hw::inspect;
using epwise::hw::Machine;
using epwise::support::core_information;
using epwise::support::FixedProbe;
using epwise::support::MachineFiles;
using epwise::support::metadata;
using epwise::support::missing;
using epwise::support::shown;
using epwise::support::variables;
using epwise::support::version;

std::string fact(const Machine& machine, std::string_view name) {
  for (const auto& each : machine.facts) {
    if (each.name == name) {
      return each.value + " (" + each.where + ")";
    }
  }
  return "";
}

const std::string kPackages = "/usr/local/lib/python3.12/dist-packages";
const std::string kVenv = "/opt/venv/lib/python3.12/site-packages";

/// A NeMo container: a virtual environment over the PyTorch image, Megatron under /opt.
MachineFiles nemo_container() {
  MachineFiles files({
      {"/usr/bin/python3.12", ""},
      {"/opt/venv/bin/python3", ""},
      {"/opt/venv/pyvenv.cfg",
       "home = /usr/bin\nversion_info = 3.12.3\ninclude-system-site-packages = true\n"},
      {kVenv + "/transformer_engine-2.12.0+5671fd36.dist-info/METADATA",
       metadata("transformer-engine", "2.12.0+5671fd36")},
      {kVenv + "/deep_ep-1.2.1+eb9cee7.dist-info/METADATA", metadata("deep_ep", "1.2.1+eb9cee7")},
      {kPackages + "/transformer_engine-2.9.0+70f53666.dist-info/METADATA",
       metadata("transformer-engine", "2.9.0+70f53666")},
      {kPackages + "/torch-2.10.0a0+b558c986e8.nv25.11.dist-info/METADATA",
       metadata("torch", "2.10.0a0+b558c986e8.nv25.11")},
      {kPackages + "/torch/version.py",
       "from typing import Optional\n\n__all__ = ['__version__', 'cuda']\n"
       "__version__ = '2.10.0a0+b558c986e8.nv25.11'\ndebug = False\n"
       "cuda: Optional[str] = '13.0'\ngit_version = 'b558c986e8'\nhip: Optional[str] = None\n"},
      {kPackages + "/torchvision-0.25.0.dist-info/METADATA", metadata("torchvision", "0.25.0")},
      {"/opt/Megatron-Bridge/src/megatron/bridge/package_info.py",
       "MAJOR = 0\nMINOR = 3\nPATCH = 0\nPRE_RELEASE = \"\"\n"},
      {"/opt/Megatron-Bridge/3rdparty/Megatron-LM/megatron/core/package_info.py",
       core_information("16", "\"\"")},
      {"/opt/Megatron-Bridge/3rdparty/Megatron-LM/megatron/training/arguments.py", ""},
      {"/usr/lib/x86_64-linux-gnu/libnccl.so.2.28.9", ""},
      {"/usr/local/cuda/version.json",
       "{\n   \"cuda\" : {\n      \"name\" : \"CUDA SDK\",\n"
       "      \"version\" : \"13.0.2\"\n   }\n}\n"},
  });
  files.links["/usr/bin/python3"] = "/usr/bin/python3.12";
  files.links["/usr/lib/x86_64-linux-gnu/libnccl.so.2"] =
      "/usr/lib/x86_64-linux-gnu/libnccl.so.2.28.9";
  return files;
}

}  // namespace

TEST_CASE("a NeMo container on a Slurm node of eight GPUs") {
  const auto machine = inspect(nemo_container(),
                               variables({{"PATH", "/opt/venv/bin:/usr/bin"},
                                          {"VIRTUAL_ENV", "/opt/venv"},
                                          {"NVIDIA_PRODUCT_NAME", "NeMo Framework"},
                                          {"NVIDIA_PYTORCH_VERSION", "25.11"},
                                          {"NCCL_VERSION", "2.28.3"},
                                          {"SLURM_NNODES", "2"},
                                          {"SLURM_GPUS_ON_NODE", "8"}}),
                               FixedProbe(8, "NVIDIA H100 80GB HBM3", 9.0));
  REQUIRE(machine.profile != nullptr);
  CHECK(machine.profile->name == "h100");
  CHECK(machine.profile_where == "libnvidia-ml.so.1: NVIDIA H100 80GB HBM3");
  CHECK(fact(machine, "GPU") == "8 × NVIDIA H100 80GB HBM3 (libnvidia-ml.so.1)");
  CHECK(fact(machine, "container") == "NeMo Framework on pytorch-25.11 (NVIDIA_PRODUCT_NAME)");
  CHECK(machine.container.empty());
  CHECK(machine.job_gpus == 16);
  CHECK(shown(machine, "te") ==
        "te=2.12.0+5671fd36 (" + kVenv + "/transformer_engine-2.12.0+5671fd36.dist-info)");
  CHECK(shown(machine, "torch") == "torch=2.10.0a0+b558c986e8.nv25.11 (" + kPackages +
                                       "/torch-2.10.0a0+b558c986e8.nv25.11.dist-info)");
  CHECK(shown(machine, "cuda") == "cuda=13.0 (" + kPackages + "/torch/version.py)");
  CHECK(fact(machine, "CUDA toolkit") == "13.0.2 (/usr/local/cuda/version.json)");
  // What is loaded counts, not the variable of the image below.
  CHECK(shown(machine, "nccl") == "nccl=2.28.9 (/usr/lib/x86_64-linux-gnu/libnccl.so.2.28.9)");
  CHECK(version(machine, "deepep") == "1.2.1+eb9cee7");
  CHECK(version(machine, "hybridep") == "none");
  CHECK(shown(machine, "bridge") ==
        "bridge=0.3.0 (/opt/Megatron-Bridge/src/megatron/bridge/package_info.py)");
  CHECK(version(machine, "mcore") == "0.16.0");
  CHECK(version(machine, "mlm") == "0.16.0");
  CHECK(version(machine, "ngc") == "25.11");
  CHECK(version(machine, "driver") == "580.65.06");
  CHECK(version(machine, "python") == "3.12.3");
  CHECK(machine.missing.empty());
  for (std::size_t i = 1; i < machine.components.size(); ++i) {
    CHECK(machine.components[i - 1].name < machine.components[i].name);
  }
}

TEST_CASE("an empty machine: nothing is guessed, everything missing says how to supply it") {
  const auto machine = inspect(MachineFiles(), variables(), FixedProbe());
  CHECK(machine.profile == nullptr);
  CHECK(machine.gpus.empty());
  CHECK(machine.components.empty());
  CHECK_FALSE(machine.job_gpus);
  CHECK(missing(machine, "hw") ==
        "no NVIDIA driver found; --hw h100; `epwise hw list` names the others");
  CHECK(missing(machine, "gpus") == "this process is not part of a job; --gpus 16");
  CHECK(missing(machine, "mcore") ==
        "neither Megatron-Bridge nor Megatron-Core is installed here; "
        "--stack bridge=0.6.2 or --stack mcore=0.19.0, or run inside the container");
  for (const char* name : {"torch", "te", "cuda", "nccl"}) {
    CAPTURE(std::string(name));
    CHECK(missing(machine, name).find(std::string("--stack ") + name + "=") != std::string::npos);
  }
}

TEST_CASE("unreadable files and folders are passed over") {
  auto files = nemo_container();
  files.forbidden.insert(kVenv + "/transformer_engine-2.12.0+5671fd36.dist-info/METADATA");
  files.forbidden.insert(kPackages + "/torch/version.py");
  files.forbidden.insert("/usr/local/cuda/version.json");
  files.forbidden.insert("/opt/Megatron-Bridge/src/megatron/bridge/package_info.py");
  const auto machine = inspect(files, variables({{"VIRTUAL_ENV", "/opt/venv"}}), FixedProbe());
  CHECK(version(machine, "te") == "2.12.0+5671fd36");
  CHECK(version(machine, "torch") == "2.10.0a0+b558c986e8.nv25.11");
  CHECK(version(machine, "bridge") == "installed");
  CHECK(missing(machine, "cuda") ==
        "found neither among the packages nor on the system; --stack cuda=12.9");
}

TEST_CASE("which GPUs are a profile") {
  const auto one = [](const std::string& name) {
    return inspect(MachineFiles(), variables(), FixedProbe(4, name, 10.0));
  };
  CHECK(one("NVIDIA GB200").profile->name == "gb200");
  CHECK(one("NVIDIA GB200").missing.front().name == "gpus");
  CHECK(missing(one("NVIDIA GB200"), "gpus") ==
        "this process is not part of a job; --gpus N; --gpus 4 for a run on this node only");
  CHECK(one("NVIDIA H200 NVL").profile == nullptr);
  CHECK(missing(one("NVIDIA H200 NVL"), "hw") ==
        "no profile for `NVIDIA H200 NVL`; --hw NAME of the closest profile (`epwise hw list`)");
  const FixedProbe mixed({{{"NVIDIA H100 80GB HBM3", 9.0}, {"NVIDIA L4", 8.9}}, "", "", "driver"});
  const auto machine = inspect(MachineFiles(), variables(), mixed);
  CHECK(machine.profile == nullptr);
  CHECK(missing(machine, "hw").starts_with("this node has several kinds of GPU"));
  const auto none =
      inspect(MachineFiles(), variables(), FixedProbe({{}, "580.65.06", "", "driver"}));
  CHECK(missing(none, "hw").starts_with("the driver reports no GPU"));
  CHECK(version(none, "driver") == "580.65.06");
}

TEST_CASE("without the driver's library the kernel module's list answers") {
  const std::string root = "/proc/driver/nvidia";
  const MachineFiles files({
      {root + "/version",
       "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.133.20  Release Build\n"
       "GCC version:  gcc version 12.3.0\n"},
      {root + "/gpus/0000:19:00.0/information", "Model: \t\t NVIDIA H200\nIRQ:   \t\t 5\n"},
      {root + "/gpus/0000:3b:00.0/information", "Model: \t\t NVIDIA H200\n"},
  });
  const auto machine = inspect(files, variables(), FixedProbe());
  REQUIRE(machine.profile != nullptr);
  CHECK(machine.profile->name == "h200");
  CHECK(machine.gpus.size() == 2);
  CHECK(shown(machine, "driver") == "driver=570.133.20 (/proc/driver/nvidia)");
}

TEST_CASE("containers by their variables") {
  struct Row {
    std::map<std::string, std::string> variables;
    std::string container;
    std::string ngc;
  };

  const std::vector<Row> rows = {
      {{{"NVIDIA_PYTORCH_VERSION", "25.11"}, {"NVIDIA_PRODUCT_NAME", "PyTorch"}},
       "pytorch-25.11",
       "25.11"},
      {{{"NVIDIA_PYTORCH_VERSION", "25.11"}, {"NVIDIA_PRODUCT_NAME", "NeMo Framework"}},
       "",
       "25.11"},
      {{{"NVIDIA_PYTORCH_VERSION", "25.06"}, {"NEMO_VERSION", "25.09"}}, "nemo-25.09", "25.06"},
      {{{"NEMO_VERSION", "25.11.01"}}, "nemo-25.11.01", ""},
      {{{"NEMO_VERSION", "2.6.0"}}, "", ""},
      {{}, "", ""},
  };
  for (const Row& row : rows) {
    const auto machine = inspect(MachineFiles(), variables(row.variables), FixedProbe());
    CHECK(machine.container == row.container);
    CHECK(version(machine, "ngc") == row.ngc);
  }
}

TEST_CASE("CUDA and NCCL of an image from its variables, cut to what rules compare") {
  const auto machine =
      inspect(MachineFiles(),
              variables({{"CUDA_VERSION", "13.0.2.006"}, {"NCCL_VERSION", "2.27.7-1"}}),
              FixedProbe());
  CHECK(shown(machine, "cuda") == "cuda=13.0.2 (CUDA_VERSION)");
  CHECK(shown(machine, "nccl") == "nccl=2.27.7 (NCCL_VERSION)");
}
