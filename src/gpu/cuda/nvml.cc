#include "gpu/cuda/nvml.h"

#include <array>
#include <chrono>
#include <thread>

namespace epwise::cuda {

namespace {

constexpr int kSmClock = 1;
constexpr int kGpuTemperature = 0;

// Bits of the clock throttle reasons.
constexpr unsigned long long kPowerCap = 0x4;
// hardware, thermal, power brake
constexpr unsigned long long kSlowdown = 0x8 | 0x20 | 0x40 | 0x80;

}  // namespace

Nvml load_nvml(const Library& library) {
  Nvml nvml;
  library.find("nvmlInit_v2", nvml.nvmlInit_v2);
  library.find("nvmlDeviceGetHandleByPciBusId_v2", nvml.nvmlDeviceGetHandleByPciBusId_v2);
  library.find("nvmlDeviceGetClockInfo", nvml.nvmlDeviceGetClockInfo);
  library.find("nvmlDeviceGetMaxClockInfo", nvml.nvmlDeviceGetMaxClockInfo);
  library.find("nvmlDeviceGetPowerUsage", nvml.nvmlDeviceGetPowerUsage);
  library.find("nvmlDeviceGetEnforcedPowerLimit", nvml.nvmlDeviceGetEnforcedPowerLimit);
  library.find("nvmlDeviceGetTemperature", nvml.nvmlDeviceGetTemperature);
  // The older name first; it may be removed one day.
  if (!library.find("nvmlDeviceGetCurrentClocksThrottleReasons",
                    nvml.nvmlDeviceGetCurrentClocksThrottleReasons)) {
    library.find("nvmlDeviceGetCurrentClocksEventReasons",
                 nvml.nvmlDeviceGetCurrentClocksThrottleReasons);
  }
  library.find("nvmlDeviceGetMigMode", nvml.nvmlDeviceGetMigMode);
  library.find("nvmlDeviceGetUtilizationRates", nvml.nvmlDeviceGetUtilizationRates);
  library.find("nvmlSystemGetDriverVersion", nvml.nvmlSystemGetDriverVersion);
  return nvml;
}

Monitor::Monitor(const Nvml& nvml, const std::string& bus) : nvml_(nvml) {
  if (nvml_.nvmlInit_v2 == nullptr || nvml_.nvmlInit_v2() != 0) {
    return;
  }
  if (nvml_.nvmlDeviceGetHandleByPciBusId_v2 == nullptr ||
      nvml_.nvmlDeviceGetHandleByPciBusId_v2(bus.c_str(), &device_) != 0) {
    device_ = nullptr;
  }
  busy_ = read_busy();
  constexpr double kIdle = 0.05;
  if (busy_ > kIdle) {
    // The counter looks back one second: a job that has just ended is not a reason to worry.
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    busy_ = read_busy();
  }
}

double Monitor::read_busy() const {
  NvmlUtilization use;
  return device_ != nullptr && nvml_.nvmlDeviceGetUtilizationRates != nullptr &&
                 nvml_.nvmlDeviceGetUtilizationRates(device_, &use) == 0
             ? use.gpu / 100.0
             : 0;
}

calibrate::State Monitor::state() {
  const auto now = std::chrono::steady_clock::now();
  constexpr std::chrono::milliseconds kFresh(20);
  if (device_ != nullptr && now - read_at_ >= kFresh) {
    state_ = read_state();
    read_at_ = now;
  }
  return state_;
}

calibrate::State Monitor::read_state() const {
  calibrate::State state;
  if (device_ == nullptr) {
    return state;
  }
  unsigned number = 0;
  if (nvml_.nvmlDeviceGetClockInfo != nullptr &&
      nvml_.nvmlDeviceGetClockInfo(device_, kSmClock, &number) == 0) {
    state.clock_mhz = number;
  }
  if (nvml_.nvmlDeviceGetPowerUsage != nullptr &&
      nvml_.nvmlDeviceGetPowerUsage(device_, &number) == 0) {
    state.power_w = number / 1000.0;
  }
  if (nvml_.nvmlDeviceGetTemperature != nullptr &&
      nvml_.nvmlDeviceGetTemperature(device_, kGpuTemperature, &number) == 0) {
    state.temperature_c = number;
  }
  unsigned long long reasons = 0;
  if (nvml_.nvmlDeviceGetCurrentClocksThrottleReasons != nullptr &&
      nvml_.nvmlDeviceGetCurrentClocksThrottleReasons(device_, &reasons) == 0) {
    state.power_capped = (reasons & kPowerCap) != 0;
    state.throttled = (reasons & kSlowdown) != 0;
  }
  return state;
}

void Monitor::describe(calibrate::Device& device) const {
  if (device_ == nullptr) {
    return;
  }
  unsigned number = 0;
  if (nvml_.nvmlDeviceGetMaxClockInfo != nullptr &&
      nvml_.nvmlDeviceGetMaxClockInfo(device_, kSmClock, &number) == 0) {
    device.clock_mhz = number;
  }
  if (nvml_.nvmlDeviceGetEnforcedPowerLimit != nullptr &&
      nvml_.nvmlDeviceGetEnforcedPowerLimit(device_, &number) == 0) {
    device.power_limit_w = number / 1000.0;
  }
  device.busy = busy_;
  unsigned pending = 0;
  if (nvml_.nvmlDeviceGetMigMode != nullptr &&
      nvml_.nvmlDeviceGetMigMode(device_, &number, &pending) == 0) {
    device.mig = number != 0;
  }
}

std::string Monitor::driver_version() const {
  std::array<char, 96> text = {};
  if (device_ == nullptr || nvml_.nvmlSystemGetDriverVersion == nullptr ||
      nvml_.nvmlSystemGetDriverVersion(text.data(), text.size()) != 0) {
    return {};
  }
  return text.data();
}

}  // namespace epwise::cuda
