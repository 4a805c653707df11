#include "perf/sim/work/machine.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace epwise::sim {

namespace {

/// 0 if the profile lacks it.
double number(const hw::Profile& profile, std::string_view key) {
  const hw::Sourced* found = profile.number(key);
  return found == nullptr ? 0 : found->value.value;
}

std::string missing_numbers(const hw::Profile& profile) {
  constexpr std::array<std::string_view, 3> kNeeded = {
      "memory_bandwidth", "nvlink_bandwidth_per_direction", "nic_bandwidth_per_gpu"};
  std::vector<std::string_view> missing;
  for (const auto key : kNeeded) {
    if (number(profile, key) <= 0) {
      missing.push_back(key);
    }
  }
  return fmt::format("{}", fmt::join(missing, ", "));
}

std::string no_laws(const hw::Profile& profile, const cost::Table& laws) {
  std::vector<std::string_view> known;
  for (const cost::Chip& chip : laws.chips) {
    known.emplace_back(chip.name);
  }
  return fmt::format("no cost laws for {}; available for {}", profile.name, fmt::join(known, ", "));
}

}  // namespace

MachineReading machine_of(const hw::Profile& profile,
                          const workload::Machine& stated,
                          const cost::Table& laws,
                          const ConstantTable& constants) {
  const Constants& by = constants.values;
  MachineReading reading;
  Machine& machine = reading.machine;
  machine.laws = &laws;
  const cost::Chip* chip = laws.find_chip(profile.laws.empty() ? profile.name : profile.laws);
  if (chip == nullptr) {
    reading.problem = no_laws(profile, laws);
    return reading;
  }
  machine.chip = *chip;
  if (const auto missing = missing_numbers(profile); !missing.empty()) {
    reading.problem = fmt::format("profile {} lacks {}", profile.name, missing);
    return reading;
  }
  machine.sms = profile.sm_count;
  machine.memory_rate = number(profile, "memory_bandwidth");
  machine.nvlink_rate = number(profile, "nvlink_bandwidth_per_direction") * by.share_nvlink;
  const double own_nic = number(profile, "nic_bandwidth_per_gpu");
  const double nic = stated.nic_rate > 0 ? stated.nic_rate : own_nic;
  machine.nic_rate = nic * by.share_nic;
  machine.chip.nic *= nic / own_nic;
  machine.pcie_rate = number(profile, "pcie_bandwidth_per_direction");
  constexpr double kGpusPerGrace = 2;
  const double c2c = number(profile, "c2c_bandwidth_per_direction") / kGpusPerGrace;
  machine.host_rate = (c2c > 0 ? c2c : machine.pcie_rate) * by.share_host_link;
  machine.domain = stated.nvlink_domain;
  machine.blackwell = machine.chip.architecture == cost::Architecture::blackwell;
  machine.ultra = profile.compute_capability == 10.3;
  machine.grace = stated.cpu == workload::Cpu::grace;
  machine.measured = std::ranges::count(constants.measured_on, profile.name) > 0;
  return reading;
}

}  // namespace epwise::sim
