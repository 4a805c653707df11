#pragma once

#include <optional>
#include <string>

#include "hw/profile.h"
#include "perf/cost/table.h"
#include "perf/sim/constants/constants.h"
#include "perf/workload/workload.h"

namespace epwise::sim {

/// The rates of one GPU and its links, in base units.
struct Machine {
  const cost::Table* laws = nullptr;  // outlives this
  cost::Chip chip;                    // of the laws, with the stated NIC
  double sms = 0;
  double memory_rate = 0;  // B/s, nominal
  double nvlink_rate = 0;  // achieved B/s per direction for rings and transfers
  double nic_rate = 0;     // achieved B/s per GPU for rings and transfers
  double pcie_rate = 0;    // B/s per direction, nominal; 0: unknown
  double host_rate = 0;  // achieved B/s per GPU and direction for offloaded activations; 0: unknown
  int domain = 1;        // GPUs of one job connected by NVLink
  bool blackwell = false;
  bool ultra = false;     // Blackwell Ultra: exponentials at twice the rate
  bool grace = false;     // of the host, otherwise x86
  bool measured = false;  // published steps of this GPU determine constants
};

struct MachineReading {
  Machine machine;
  std::string problem;  // what is missing; empty if nothing is
};

/// The profile as a machine. Statements of the workload (NIC rate, CPU, NVLink domain) take
/// precedence over the profile.
///   "no cost laws for l40s; available for a100, b200, …"
MachineReading machine_of(const hw::Profile& profile,
                          const workload::Machine& stated,
                          const cost::Table& laws,
                          const ConstantTable& constants);

}  // namespace epwise::sim
