#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "hw/machine.h"
#include "hw/python_environment.h"
#include "support/machine_files.h"

namespace {

using epwise::hw::inspect;
using epwise::support::core_information;
using epwise::support::FixedProbe;
using epwise::support::MachineFiles;
using epwise::support::metadata;
using epwise::support::missing;
using epwise::support::shown;
using epwise::support::variables;
using epwise::support::version;

const std::string kSystem = "/usr/local/lib/python3.12/dist-packages";

}  // namespace

TEST_CASE("pip packages in a virtual environment") {
  const std::string site = "/home/me/venv/lib/python3.11/site-packages";
  MachineFiles files({
      {"/home/me/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n"},
      {site + "/torch-2.9.1+cu128.dist-info/METADATA", metadata("torch", "2.9.1+cu128")},
      {site + "/torch/version.py", "__version__ = '2.9.1+cu128'\ncuda: Optional[str] = '12.8'\n"},
      {site + "/nvidia_nccl_cu12-2.27.5.dist-info/METADATA",
       metadata("nvidia-nccl-cu12", "2.27.5")},
      {site + "/nvidia_cuda_runtime_cu12-12.8.90.dist-info/METADATA",
       metadata("nvidia-cuda-runtime-cu12", "12.8.90")},
      {site + "/transformer_engine_cu12-2.8.0.dist-info/METADATA",
       metadata("transformer_engine_cu12", "2.8.0")},
      {site + "/transformer_engine_torch-2.8.0.dist-info/METADATA",
       metadata("transformer_engine_torch", "2.8.0")},
      {site + "/megatron_core-0.16.1.dist-info/METADATA", metadata("megatron-core", "0.16.1")},
  });
  const auto machine = inspect(files, variables({{"VIRTUAL_ENV", "/home/me/venv"}}), FixedProbe());
  CHECK(version(machine, "te") == "2.8.0");
  CHECK(shown(machine, "te").find("transformer_engine_torch") != std::string::npos);
  CHECK(version(machine, "nccl") == "2.27.5");
  CHECK(version(machine, "cuda") == "12.8");
  CHECK(version(machine, "mcore") == "0.16.1");
  CHECK(shown(machine, "mlm").empty());
  CHECK(shown(machine, "bridge").empty());
  CHECK(shown(machine, "deepep") ==
        "deepep=none (not in the directories of VIRTUAL_ENV=/home/me/venv)");
}

TEST_CASE("the CUDA runtime's package stands in where torch tells nothing") {
  const auto machine = inspect(
      MachineFiles({{kSystem + "/nvidia_cuda_runtime-13.0.48.dist-info/METADATA",
                     metadata("nvidia-cuda-runtime", "13.0.48")},
                    {kSystem + "/torch/version.py", "__version__ = '2.9.0'\ncuda: str = None\n"}}),
      variables(),
      FixedProbe());
  CHECK(version(machine, "cuda") == "13.0.48");
  CHECK(version(machine, "torch") == "2.9.0");
}

TEST_CASE("checkouts and editable installs count by their own package_info.py") {
  const std::string core = "/megatron/core/package_info.py";

  struct Row {
    const char* what;
    std::map<std::string, std::string> files;
    std::map<std::string, std::string> variables;
    std::string mcore;
  };

  const std::vector<Row> rows = {
      {"the working directory",
       {{"./megatron/core/package_info.py", core_information("19", "'rc1'")},
        {kSystem + "/megatron_core-0.16.0.dist-info/METADATA",
         metadata("megatron-core", "0.16.0")}},
       {},
       "0.19.0rc1 (./megatron/core/package_info.py)"},
      {"PYTHONPATH before an install",
       {{"/work/mlm" + core, core_information("18", "''")},
        {kSystem + core, core_information("17", "''")}},
       {{"PYTHONPATH", "/work/mlm"}},
       "0.18.0 (/work/mlm/megatron/core/package_info.py)"},
      {"a .pth file",
       {{kSystem + "/__editable__.megatron_core-0.16.0.pth",
         "# note\nimport x\n/work/mlm\n/gone\n"},
        {"/work/mlm" + core, core_information("20", "''")}},
       {},
       "0.20.0 (/work/mlm/megatron/core/package_info.py)"},
      {"direct_url.json",
       {{kSystem + "/megatron_core-0.16.0.dist-info/METADATA", metadata("megatron-core", "0.16.0")},
        {kSystem + "/megatron_core-0.16.0.dist-info/direct_url.json",
         "{\"dir_info\": {\"editable\": true}, \"url\": \"file:///work/mlm\"}"},
        {"/work/mlm" + core, core_information("17", "''")}},
       {},
       "0.17.0 (/work/mlm/megatron/core/package_info.py)"},
      {"an ordinary install from a local wheel",
       {{kSystem + "/megatron_core-0.16.0.dist-info/METADATA", metadata("megatron-core", "0.16.0")},
        {kSystem + "/megatron_core-0.16.0.dist-info/direct_url.json",
         "{\"archive_info\": {}, \"url\": \"file:///wheels/megatron_core-0.16.0.whl\"}"}},
       {},
       "0.16.0 (" + kSystem + "/megatron_core-0.16.0.dist-info)"},
      {"a package_info.py without a version",
       {{"./megatron/core/package_info.py", "MAJOR = 0\nMINOR = \n"}},
       {},
       "installed (./megatron/core/package_info.py)"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.what));
    const auto machine = inspect(MachineFiles(row.files), variables(row.variables), FixedProbe());
    CHECK(shown(machine, "mcore") == "mcore=" + row.mcore);
  }
}

TEST_CASE("metadata in every form that pip, setuptools and nobody leave behind") {
  struct Row {
    const char* what;
    std::map<std::string, std::string> files;
    std::string deepep;
  };

  const std::vector<Row> rows = {
      {"an egg",
       {{kSystem + "/deep_ep-1.2.1+bfded34-py3.12-linux-x86_64.egg/EGG-INFO/PKG-INFO",
         metadata("deep-ep", "1.2.1+bfded34")}},
       "1.2.1+bfded34"},
      {"an egg-info folder",
       {{kSystem + "/deep_ep.egg-info/PKG-INFO", metadata("deep-ep", "1.1.0")}},
       "1.1.0"},
      {"an egg-info file",
       {{kSystem + "/deep_ep-1.0.0-py3.12.egg-info", metadata("deep-ep", "1.0.0")}},
       "1.0.0"},
      {"metadata without a version",
       {{kSystem + "/deep_ep-1.3.0.dist-info/METADATA", "Name: deep-ep\n\nVersion: 7\n"}},
       "1.3.0"},
      {"metadata without metadata", {{kSystem + "/deep_ep-1.4.0.dist-info/RECORD", ""}}, "1.4.0"},
      {"capitals and dots",
       {{kSystem + "/Deep.EP-1.5.0.dist-info/METADATA", metadata("Deep.EP", "1.5.0")}},
       "1.5.0"},
      {"carriage returns",
       {{kSystem + "/deep_ep-1.dist-info/METADATA", "Name: deep_ep\r\nVersion: 1.6.0\r\n\r\n"}},
       "1.6.0"},
      {"a folder alone", {{kSystem + "/deep_ep/__init__.py", ""}}, "installed"},
      {"what pip left after a broken removal",
       {{kSystem + "/~eep_ep-1.7.0.dist-info/METADATA", metadata("deep-ep", "1.7.0")}},
       ""},
      {"another package whose name begins alike",
       {{kSystem + "/deep_eplus-1.0.dist-info/METADATA", metadata("deep-eplus", "1.0")}},
       ""},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.what));
    const auto machine = inspect(MachineFiles(row.files), variables(), FixedProbe());
    CHECK(version(machine, "deepep") == row.deepep);
  }
}

TEST_CASE("half-broken metadata is said and left open") {
  const MachineFiles files({
      {kSystem + "/deep_ep-1.0.0.dist-info/METADATA", metadata("deep-ep", "1.0.0")},
      {kSystem + "/deep_ep-1.2.1.dist-info/METADATA", metadata("deep-ep", "1.2.1")},
      {kSystem + "/transformer_engine-x.dist-info/METADATA", metadata("te", "not a version")},
  });
  const auto machine = inspect(files, variables(), FixedProbe());
  CHECK(version(machine, "deepep") == "installed");
  CHECK(missing(machine, "deepep") == "two versions of deep-ep in " + kSystem +
                                          ": 1.0.0 and 1.2.1; reinstall it, or "
                                          "--stack deepep=1.2.1");
  CHECK(version(machine, "te") == "installed");
  CHECK(missing(machine, "te").starts_with("`not a version` in " + kSystem));
}

TEST_CASE("torch's own version settles what two leftovers leave open") {
  const auto machine = inspect(
      MachineFiles({{kSystem + "/torch-2.8.0.dist-info/METADATA", metadata("torch", "2.8.0")},
                    {kSystem + "/torch-2.9.1.dist-info/METADATA", metadata("torch", "2.9.1")},
                    {kSystem + "/torch/version.py", "__version__ = '2.9.1+cu130'\n"}}),
      variables(),
      FixedProbe());
  CHECK(shown(machine, "torch") == "torch=2.9.1+cu130 (" + kSystem + "/torch/version.py)");
  CHECK(missing(machine, "torch").empty());
}

TEST_CASE("a METADATA of 50 MB is read no further than its head") {
  class Counting : public MachineFiles {
   public:
    using MachineFiles::MachineFiles;

    std::string read(const std::string& path, std::size_t limit) const override {
      auto text = MachineFiles::read(path, limit);
      read_ += text.size();
      return text;
    }

    std::size_t count() const { return read_; }

   private:
    mutable std::size_t read_ = 0;
  };

  Counting files;
  files.put(kSystem + "/torch-2.9.1.dist-info/METADATA",
            metadata("torch", "2.9.1") + std::string(std::size_t{50} << 20, 'x'));
  files.put(kSystem + "/deep_ep-1.2.1.dist-info/METADATA", std::string(std::size_t{50} << 20, 'x'));
  const auto machine = inspect(files, variables(), FixedProbe());
  CHECK(version(machine, "torch") == "2.9.1");
  CHECK(version(machine, "deepep") == "1.2.1");
  CHECK(files.count() < (std::size_t{1} << 20));
}

TEST_CASE("HybridEP is recognised inside DeepEP") {
  const auto machine = inspect(MachineFiles({{kSystem + "/deep_ep/__init__.py", ""},
                                             {kSystem + "/deep_ep/hybrid_ep_buffer.py", ""}}),
                               variables(),
                               FixedProbe());
  CHECK(shown(machine, "hybridep") ==
        "hybridep=installed (" + kSystem + "/deep_ep/hybrid_ep_buffer.py)");
}
