#pragma once

#include "hw/device.h"

namespace epwise::hw {

/// Opens the driver's own libraries at run time, so that the program starts and works where there
/// is no driver: first the management library (libnvidia-ml.so.1), which creates no context and
/// leaves the GPUs as they are; where a container leaves that one out, libcuda.so.1.
class DriverProbe : public DeviceProbe {
 public:
  Devices devices() const override;
};

}  // namespace epwise::hw
