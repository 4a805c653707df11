#pragma once

#include <string>
#include <vector>

namespace epwise::hw {

/// One GPU as the driver reports it.
struct Gpu {
  std::string name;               // "NVIDIA H100 80GB HBM3"
  double compute_capability = 0;  // 9.0; 0: not reported by the driver
};

/// Information from this machine's driver.
struct Devices {
  std::vector<Gpu> gpus;
  std::string driver;  // "580.65.06"; empty if unknown
  std::string cuda;    // "13.0": the newest CUDA supported by this driver; empty if unknown
  std::string where;   // the source: "libnvidia-ml.so.1"; empty if there is none
};

/// Asks for GPUs. The real one talks to the driver (hw/device.h); tests answer as they like.
class DeviceProbe {
 public:
  virtual ~DeviceProbe() = default;

  /// Never throws: a machine without a driver has no GPUs and an empty `where`.
  virtual Devices devices() const = 0;
};

/// Opens the driver's libraries at run time, so that the program works without a driver: first the
/// management library (libnvidia-ml.so.1), which creates no context and does not affect the GPUs;
/// if a container lacks it, libcuda.so.1.
class DriverProbe : public DeviceProbe {
 public:
  Devices devices() const override;
};

}  // namespace epwise::hw
