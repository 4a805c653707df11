// What the driver's monitor tells of a device, from a library that is made up.

#include "gpu/cuda/nvml.h"

#include <doctest/doctest.h>

namespace epwise::cuda {

namespace {

int readings = 0;

Nvml made_up() {
  Nvml nvml;
  nvml.nvmlInit_v2 = [] { return 0; };
  nvml.nvmlDeviceGetHandleByPciBusId_v2 = [](const char*, NvmlDevice** device) {
    *device = reinterpret_cast<NvmlDevice*>(&readings);
    return 0;
  };
  return nvml;
}

}  // namespace

TEST_CASE("somebody else's work on the GPU is noticed, and what has just ended is not") {
  Nvml nvml = made_up();
  nvml.nvmlDeviceGetUtilizationRates = [](NvmlDevice*, NvmlUtilization* use) {
    use->gpu = 40;
    return 0;
  };
  calibrate::Device device;
  Monitor(nvml, "0000:19:00.0").describe(device);
  CHECK(device.busy == doctest::Approx(0.4));
  readings = 0;
  nvml.nvmlDeviceGetUtilizationRates = [](NvmlDevice*, NvmlUtilization* use) {
    use->gpu = ++readings == 1 ? 90 : 0;
    return 0;
  };
  Monitor(nvml, "0000:19:00.0").describe(device);
  CHECK(device.busy == 0);
}

TEST_CASE("a monitor that can read nothing says nothing") {
  calibrate::Device device;
  Monitor monitor(Nvml{}, "0000:19:00.0");
  monitor.describe(device);
  CHECK(device.busy == 0);
  CHECK(monitor.driver_version().empty());
  CHECK(monitor.state().clock_mhz == 0);
}

}  // namespace epwise::cuda
