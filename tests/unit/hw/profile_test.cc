#include "hw/profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/os/disk_files.h"
#include "base/text/source_file.h"
#include "support/evidence.h"

namespace {

using epwise::hw::find_profile;
using epwise::hw::find_profile_of_device;
using epwise::hw::pack_profile;
using epwise::hw::Profile;
using epwise::hw::profiles;

std::string name_of(const Profile* profile) {
  return profile == nullptr ? "none" : profile->name;
}

}  // namespace

TEST_CASE("every GPU that --hw promises is there, sorted by name") {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) {
    names.push_back(profile.name);
  }
  CHECK(names == std::vector<std::string>{
                     "a100",  "b200", "b300",     "gb200",     "gb200-nvl36", "gb200-nvl4", "gb300",
                     "gh200", "h100", "h100-nvl", "h100-pcie", "h20",         "h200",       "h800",
                     "l40s",  "r100", "rtx4090",  "rtx6000",   "v100",        "vr200"});
}

TEST_CASE("what gates read: architecture, device, capability, SMs, GPUs a node, NVLink domain") {
  struct Row {
    const char* name;
    const char* architecture;
    const char* device;
    double capability;
    int sms;
    int gpus;
    int domain;
    bool partial;
  };

  const std::vector<Row> rows = {
      {"a100", "A100", "NVIDIA A100-SXM4-80GB", 8.0, 108, 8, 8, false},
      {"h100", "H100", "NVIDIA H100 80GB HBM3", 9.0, 132, 8, 8, false},
      {"h200", "H200", "NVIDIA H200", 9.0, 132, 8, 8, false},
      {"h800", "H800", "NVIDIA H800", 9.0, 132, 8, 8, false},
      {"b200", "B200", "NVIDIA B200", 10.0, 148, 8, 8, false},
      {"b300", "B300", "NVIDIA B300 SXM6 AC", 10.3, 148, 8, 8, false},
      {"gb200", "GB200", "NVIDIA GB200", 10.0, 152, 4, 72, false},
      {"gb300", "GB300", "NVIDIA GB300", 10.3, 152, 4, 72, false},
      {"gb200-nvl4", "GB200", "NVIDIA GB200", 10.0, 152, 4, 4, false},
      {"gb200-nvl36", "GB200", "NVIDIA GB200", 10.0, 152, 4, 36, false},
      {"gh200", "GH200", "NVIDIA GH200 480GB", 9.0, 132, 1, 1, true},
      {"h20", "H20", "NVIDIA H20", 9.0, 78, 8, 8, true},
      {"h100-nvl", "H100", "NVIDIA H100 NVL", 9.0, 132, 8, 1, true},
      {"h100-pcie", "H100", "NVIDIA H100 PCIe", 9.0, 114, 8, 1, true},
      {"v100", "V100", "Tesla V100-SXM2-32GB", 7.0, 80, 8, 8, true},
      {"l40s", "L40S", "NVIDIA L40S", 8.9, 142, 8, 1, true},
      {"rtx4090", "RTX4090", "NVIDIA GeForce RTX 4090", 8.9, 128, 8, 1, true},
      {"rtx6000", "RTX6000", "NVIDIA RTX PRO 6000 Blackwell Server Edition", 12.0, 188, 8, 1, true},
      {"vr200", "VR200", "", 10.7, 0, 4, 72, true},
      {"r100", "R100", "", 10.7, 0, 1, 72, true},
  };
  CHECK(rows.size() == profiles().size());
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    const Profile* profile = find_profile(row.name);
    REQUIRE(profile != nullptr);
    CHECK(profile->architecture == row.architecture);
    CHECK(profile->device_name == row.device);
    CHECK(profile->compute_capability == doctest::Approx(row.capability));
    CHECK(profile->sm_count == row.sms);
    CHECK(profile->gpus_per_node == row.gpus);
    CHECK(profile->nvlink_domain == row.domain);
    CHECK(profile->partial == row.partial);
  }
}

TEST_CASE("names and aliases find a profile whatever their case, and no two share one") {
  CHECK(name_of(find_profile("H100")) == "h100");
  CHECK(name_of(find_profile("gb200-nvl72")) == "gb200");
  CHECK(name_of(find_profile("GB300-NVL72")) == "gb300");
  CHECK(name_of(find_profile("h1000")) == "none");
  CHECK(name_of(find_profile("h10")) == "none");
  CHECK(name_of(find_profile("")) == "none");
  std::set<std::string> seen;
  for (const Profile& profile : profiles()) {
    CHECK(seen.insert(profile.name).second);
    for (const std::string& alias : profile.aliases) {
      CAPTURE(alias);
      CHECK(seen.insert(alias).second);
      CHECK(name_of(find_profile(alias)) == profile.name);
    }
  }
}

TEST_CASE("a device finds its profile by the name that the driver reports") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"NVIDIA H100 80GB HBM3", "h100"},
      {"NVIDIA H200", "h200"},
      {"NVIDIA B200", "b200"},
      {"NVIDIA GB200", "gb200"},
      {"NVIDIA B300 SXM6 AC", "b300"},
      {"NVIDIA GB300", "gb300"},
      {"NVIDIA A100-SXM4-80GB", "a100"},
      {"Tesla V100-SXM2-16GB", "v100"},
      {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx6000"},
      // Other boards with the same chip, or half its memory, are other machines.
      {"NVIDIA H100 PCIe", "h100-pcie"},
      {"NVIDIA H100 NVL", "h100-nvl"},
      {"NVIDIA H200 NVL", "none"},
      {"NVIDIA A100-SXM4-40GB", "none"},
      {"NVIDIA L4", "none"},
      {"NVIDIA GH200 120GB", "none"},
      {"", "none"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.first);
    CHECK(name_of(find_profile_of_device(row.first)) == row.second);
  }
}

TEST_CASE("every embedded profile is the one in hwprofiles/, and says where each number is from") {
  const epwise::os::DiskFiles files;
  std::size_t read = 0;
  for (const std::string& name : files.list("hwprofiles")) {
    if (!name.ends_with(".yaml")) {
      continue;
    }
    CAPTURE(name);
    const epwise::text::SourceFile file("hwprofiles/" + name, files.read("hwprofiles/" + name));
    std::vector<epwise::text::Diagnostic> problems;
    const auto written = epwise::hw::read_profile(file, problems);
    CHECK(problems.empty());
    REQUIRE(written);
    const Profile* known = find_profile(written->name);
    REQUIRE(known != nullptr);
    CHECK(pack_profile(*known) == pack_profile(*written));
    for (const auto& entry : known->numbers) {
      CAPTURE(entry.first);
      CHECK(entry.second.source.size() > 8);
      CHECK(entry.second.date.size() == 7);
    }
    ++read;
  }
  CHECK(read == profiles().size());
}

TEST_CASE("a packed profile keeps everything, and damage is noticed") {
  const Profile* profile = find_profile("gb200");
  REQUIRE(profile != nullptr);
  const std::string bytes = pack_profile(*profile);
  const Profile again = epwise::hw::unpack_profile(bytes);
  CHECK(pack_profile(again) == bytes);
  CHECK(again.aliases == profile->aliases);
  CHECK(again.cpu == "arm64 (Grace, one for two GPUs)");
  CHECK(again.numbers.size() == profile->numbers.size());
  CHECK(again.number("memory_bandwidth")->value == profile->number("memory_bandwidth")->value);
  CHECK(again.number("memory_bandwidth")->source == profile->number("memory_bandwidth")->source);
  CHECK_THROWS_AS(epwise::hw::unpack_profile(bytes.substr(0, bytes.size() / 2)),
                  std::runtime_error);
  CHECK_THROWS_AS(epwise::hw::unpack_profile(bytes + "x"), std::runtime_error);
}

TEST_CASE("no profile claims more than its status: gates are never assumed but on partial ones") {
  for (const Profile& profile : profiles()) {
    CAPTURE(profile.name);
    for (const char* gate : {"compute_capability", "sm_count", "nvlink_domain"}) {
      const auto* number = profile.number(gate);
      CHECK((number == nullptr || number->status != epwise::hw::Status::assumed));
    }
    CHECK((profile.partial || profile.numbers.size() >= 14));
  }
}

TEST_CASE("numbers of the profiles are those of the facts") {
  const epwise::os::DiskFiles files;
  if (!epwise::support::has_evidence("facts/hw.jsonl")) {
    return;
  }
  const std::string path = epwise::support::evidence("facts/hw.jsonl");
  const std::map<std::string, std::pair<std::string, double>> plain = {
      // fact: our key, base units of one
      {"sm_count", {"sm_count", 1}},
      {"boost_clock_mhz", {"boost_clock", 1e6}},
      {"max_clock_mhz", {"max_clock", 1e6}},
      {"hbm_gib_visible", {"memory", 1024.0 * 1024 * 1024}},
      {"hbm_tbps", {"memory_bandwidth", 1e12}},
      {"hbm_efficiency_hint", {"memory_bandwidth_efficiency", 1}},
      {"nvlink_gbps_per_direction", {"nvlink_bandwidth_per_direction", 1e9}},
      {"nvlink_domain_gpus", {"nvlink_domain", 1}},
      {"gpus_per_host", {"gpus_per_node", 1}},
      {"nic_gbit_per_gpu", {"nic_bandwidth_per_gpu", 0.125e9}},
      {"pcie_gbps_per_direction", {"pcie_bandwidth_per_direction", 1e9}},
      {"c2c_gbps_per_direction", {"c2c_bandwidth_per_direction", 1e9}},
  };
  const std::map<std::string, std::string> collectives = {{"allgather", "all_gather"},
                                                          {"alltoall", "all_to_all"},
                                                          {"reducescatter", "reduce_scatter"},
                                                          {"allreduce", "all_reduce"}};
  std::istringstream lines(files.read(path));
  int compared = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto fact = nlohmann::json::parse(line);
    const Profile* profile = find_profile(fact.at("hw").get<std::string>());
    REQUIRE(profile != nullptr);
    CAPTURE(profile->name);
    const auto check = [&](const std::string& key, const nlohmann::json& value, double unit) {
      CAPTURE(key);
      const auto* number = profile->number(key);
      if (value.is_null()) {
        CHECK(number == nullptr);
        return;
      }
      REQUIRE(number != nullptr);
      CHECK(number->value.value == doctest::Approx(value.get<double>() * unit));
      ++compared;
    };
    for (const auto& [name, ours] : plain) {
      check(ours.first, fact.at(name), ours.second);
    }
    CHECK(profile->compute_capability ==
          doctest::Approx(std::stod(fact.at("compute_capability").get<std::string>())));
    for (const char* type : {"bf16", "fp8", "fp4"}) {
      check(std::string("peak_") + type, fact.at("peak_dense_tflops").at(type), 1e12);
    }
    for (const auto& [type, best] : fact.at("measured_gemm_best_tflops").items()) {
      check("gemm_best_" + type, best.at("tflops"), 1e12);
    }
    // items() of null has nothing to go through
    for (const auto& [type, rate] : fact.at("measured_gemm_m4096_n4096_k7168_tflops").items()) {
      check("gemm_4096x4096x7168_" + type, rate, 1e12);
    }
    const auto& nccl = fact.at("nccl_single_node");
    for (const auto& [theirs, ours] : collectives) {
      const auto value = nccl.is_null() ? nlohmann::json() : nccl.at(theirs).at("busbw_GBps");
      check("nccl_" + ours + "_bus_bandwidth", value, 1e9);
    }
  }
  CHECK(compared > 150);
}
