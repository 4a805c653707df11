#include <doctest/doctest.h>

#include "hw/device.h"

TEST_CASE("the driver is asked without harm, whether there is one or not") {
  const auto devices = epwise::hw::DriverProbe().devices();
  CHECK(devices.where.empty() == (devices.driver.empty() && devices.cuda.empty()));
  for (const auto& gpu : devices.gpus) {
    CHECK_FALSE(gpu.name.empty());
    CHECK(gpu.compute_capability >= 0);
  }
  MESSAGE("GPUs of this machine: " << devices.gpus.size());
}
