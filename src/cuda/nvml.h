#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "calibrate/work/backend.h"
#include "cuda/library.h"

namespace epwise::cuda {

struct NvmlDevice;

/// Per cent of the last sample period.
struct NvmlUtilization {
  unsigned gpu = 0;
  unsigned memory = 0;
};

/// Functions of libnvidia-ml, each under the name that it has there; all may be absent.
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

/// Clock, power, heat and what holds the clock down, of one device. Only reads; what can't be read
/// stays 0.
class Monitor {
 public:
  /// The device at a PCI address as cuDeviceGetPCIBusId writes it. Made before anything of ours
  /// runs there: what computes on it then is somebody else's.
  Monitor(const Nvml& nvml, const std::string& bus);

  /// Not older than 20 ms: reading takes longer than many a round.
  calibrate::State state();

  /// Highest clock, power limit, MIG, and whether others compute on it.
  void describe(calibrate::Device& device) const;

  /// "580.159.04"; empty when unknown.
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
