#pragma once

#include <optional>
#include <string>

#include "cost/table.h"
#include "hw/profile.h"
#include "model/workload.h"
#include "sim/constants/constants.h"

namespace epwise::sim {

/// The rates of one GPU and its links, in base units.
struct Machine {
  const cost::Table* laws = nullptr;  // outlives this
  cost::Chip chip;                    // of the laws, with the stated NIC
  double sms = 0;
  double memory_rate = 0;  // B/s, nominal
  double nvlink_rate = 0;  // B/s per direction that rings and transfers reach
  double nic_rate = 0;     // B/s per GPU that rings and transfers reach
  double pcie_rate = 0;    // B/s per direction, nominal; 0: unknown
  double host_rate = 0;    // B/s per GPU and direction that offloaded activations reach; 0: unknown
  int domain = 1;          // GPUs of one job that reach each other over NVLink
  bool blackwell = false;
  bool ultra = false;     // Blackwell Ultra: exponentials at twice the rate
  bool grace = false;     // the host, else x86
  bool measured = false;  // published steps of this GPU bind constants
};

struct MachineReading {
  Machine machine;
  std::string problem;  // what is missing; empty when all is well
};

/// The profile as a machine. What the workload says of it (NIC rate, CPU, NVLink domain) counts
/// before the profile.
///   "cost laws don't know l40s; they know a100, b200, …"
MachineReading machine_of(const hw::Profile& profile,
                          const model::Machine& stated,
                          const cost::Table& laws,
                          const ConstantTable& constants);

}  // namespace epwise::sim
