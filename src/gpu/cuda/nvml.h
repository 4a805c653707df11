#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "calibrate/work/backend.h"
#include "gpu/cuda/library.h"

namespace epwise::cuda {

struct NvmlDevice;

/// Per cent of the last sample period.
struct NvmlUtilization {
  unsigned gpu = 0;
  unsigned memory = 0;
};

/// Functions of libnvidia-ml, each under its original name; any may be absent.
struct Nvml {
  int (*nvmlInit_v2)() = nullptr;
  int (*nvmlDeviceGetHandleByPciBusId_v2)(const char*, NvmlDevice**) = nullptr;
  int (*nvmlDeviceGetClockInfo)(NvmlDevice*, int, unsigned*) = nullptr;
  int (*nvmlDeviceGetMaxClockInfo)(NvmlDevice*, int, unsigned*) = nullptr;
  int (*nvmlDeviceGetPowerUsage)(NvmlDevice*, unsigned*) = nullptr;
  int (*nvmlDeviceGetEnforcedPowerLimit)(NvmlDevice*, unsigned*) = nullptr;
  int (*nvmlDeviceGetTemperature)(NvmlDevice*, int, unsigned*) = nullptr;
  int (*nvmlDeviceGetCurrentClocksThrottleReasons)(NvmlDevice*, unsigned long long*) = nullptr;
  int (*nvmlDeviceGetMigMode)(NvmlDevice*, unsigned*, unsigned*) = nullptr;
  int (*nvmlDeviceGetUtilizationRates)(NvmlDevice*, NvmlUtilization*) = nullptr;
  int (*nvmlSystemGetDriverVersion)(char*, unsigned) = nullptr;
};

Nvml load_nvml(const Library& library);

/// Clock, power, temperature and throttle reasons of one device. Read-only; values that cannot be
/// read stay 0.
class Monitor {
 public:
  /// The device at a PCI address in the format of cuDeviceGetPCIBusId. Create it before running
  /// anything there: anything that computes on it at that time belongs to another process.
  Monitor(const Nvml& nvml, const std::string& bus);

  /// At most 20 ms old: reading takes longer than many rounds.
  calibrate::State state();

  /// Highest clock, power limit, MIG, and whether other processes compute on it.
  void describe(calibrate::Device& device) const;

  /// "580.159.04"; empty if unknown.
  std::string driver_version() const;

 private:
  calibrate::State read_state() const;
  double read_busy() const;

  Nvml nvml_;
  NvmlDevice* device_ = nullptr;
  double busy_ = 0;
  calibrate::State state_ = {};
  std::chrono::steady_clock::time_point read_at_ = {};
};

}  // namespace epwise::cuda
