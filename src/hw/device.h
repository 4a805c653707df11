#pragma once

#include <string>
#include <vector>

namespace epwise::hw {

/// One GPU as the driver reports it.
struct Gpu {
  std::string name;               // "NVIDIA H100 80GB HBM3"
  double compute_capability = 0;  // 9.0; 0: the driver did not say
};

/// What the driver of this machine says.
struct Devices {
  std::vector<Gpu> gpus;
  std::string driver;  // "580.65.06"; empty when not known
  std::string cuda;    // "13.0": the newest CUDA that this driver runs; empty when not known
  std::string where;   // who answered: "libnvidia-ml.so.1"; empty when nobody did
};

/// Asks for GPUs. The real one talks to the driver (hw/driver_probe.h); tests answer as they like.
class DeviceProbe {
 public:
  virtual ~DeviceProbe() = default;

  /// Never throws: a machine without a driver has no GPUs and an empty `where`.
  virtual Devices devices() const = 0;
};

}  // namespace epwise::hw
