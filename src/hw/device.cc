#include "hw/device.h"

#include <array>
#include <cstddef>
#include <dlfcn.h>
#include <optional>

#include <fmt/format.h>

namespace epwise::hw {

namespace {

constexpr int kMostDriverGpus = 256;  // a driver that reports more is not trusted

/// A shared library that may be absent.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {}

  ~SharedLibrary() {
    if (handle_ != nullptr) {
      dlclose(handle_);
    }
  }

  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  bool opened() const { return handle_ != nullptr; }

  /// Null pointer if the library has no such function.
  template <class Function>
  Function* function(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

/// 13000 → "13.0": how both libraries write a CUDA version.
std::string cuda_text(int version) {
  return version <= 0 ? "" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

double capability(int major, int minor) {
  return major <= 0 ? 0 : major + minor / 10.0;
}

/// Text in a buffer filled, and possibly not terminated, by a C function.
template <std::size_t size>
std::string text_of(const std::array<char, size>& buffer) {
  std::string text(buffer.data(), buffer.size());
  return text.substr(0, text.find('\0'));
}

using NvmlDevice = void*;

/// The few functions of the management library that are used; all return 0 on success.
struct Nvml {
  explicit Nvml(const SharedLibrary& library)
      : init(library.function<int()>("nvmlInit_v2")),
        shutdown(library.function<int()>("nvmlShutdown")),
        driver(library.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion")),
        cuda(library.function<int(int*)>("nvmlSystemGetCudaDriverVersion_v2")),
        count(library.function<int(unsigned*)>("nvmlDeviceGetCount_v2")),
        device(library.function<int(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2")),
        name(library.function<int(NvmlDevice, char*, unsigned)>("nvmlDeviceGetName")),
        capability(
            library.function<int(NvmlDevice, int*, int*)>("nvmlDeviceGetCudaComputeCapability")) {}

  bool complete() const {
    return init != nullptr && shutdown != nullptr && driver != nullptr && cuda != nullptr &&
           count != nullptr && device != nullptr && name != nullptr && capability != nullptr;
  }

  int (*init)();
  int (*shutdown)();
  int (*driver)(char*, unsigned);
  int (*cuda)(int*);
  int (*count)(unsigned*);
  int (*device)(unsigned, NvmlDevice*);
  int (*name)(NvmlDevice, char*, unsigned);
  int (*capability)(NvmlDevice, int*, int*);
};

Devices ask_nvml(const Nvml& nvml) {
  Devices found;
  std::array<char, 96> text = {};
  if (nvml.driver(text.data(), text.size()) == 0) {
    found.driver = text_of(text);
  }
  int cuda = 0;
  if (nvml.cuda(&cuda) == 0) {
    found.cuda = cuda_text(cuda);
  }
  unsigned count = 0;
  if (nvml.count(&count) != 0 || count > kMostDriverGpus) {
    return found;
  }
  for (unsigned index = 0; index < count; ++index) {
    NvmlDevice device = nullptr;
    text.fill('\0');
    if (nvml.device(index, &device) != 0 || nvml.name(device, text.data(), text.size()) != 0) {
      continue;  // a GPU that fell off the bus must not hide the others
    }
    int major = 0;
    int minor = 0;
    const bool known = nvml.capability(device, &major, &minor) == 0;
    found.gpus.push_back({text_of(text), known ? capability(major, minor) : 0});
  }
  return found;
}

std::optional<Devices> from_nvml() {
  constexpr const char* kName = "libnvidia-ml.so.1";
  const SharedLibrary library(kName);
  const Nvml nvml(library);
  if (!nvml.complete() || nvml.init() != 0) {
    return std::nullopt;
  }
  Devices found = ask_nvml(nvml);
  nvml.shutdown();
  found.where = kName;
  return found;
}

/// The same from the CUDA driver library.
struct Cuda {
  explicit Cuda(const SharedLibrary& library)
      : init(library.function<int(unsigned)>("cuInit")),
        version(library.function<int(int*)>("cuDriverGetVersion")),
        count(library.function<int(int*)>("cuDeviceGetCount")),
        device(library.function<int(int*, int)>("cuDeviceGet")),
        name(library.function<int(char*, int, int)>("cuDeviceGetName")),
        attribute(library.function<int(int*, int, int)>("cuDeviceGetAttribute")) {}

  bool complete() const {
    return init != nullptr && version != nullptr && count != nullptr && device != nullptr &&
           name != nullptr && attribute != nullptr;
  }

  int (*init)(unsigned);
  int (*version)(int*);
  int (*count)(int*);
  int (*device)(int*, int);
  int (*name)(char*, int, int);
  int (*attribute)(int*, int, int);
};

Devices ask_cuda(const Cuda& cuda) {
  constexpr int kCapabilityMajor = 75;
  constexpr int kCapabilityMinor = 76;
  Devices found;
  int version = 0;
  if (cuda.version(&version) == 0) {
    found.cuda = cuda_text(version);
  }
  int count = 0;
  if (cuda.count(&count) != 0 || count > kMostDriverGpus) {
    return found;
  }
  for (int index = 0; index < count; ++index) {
    int device = 0;
    std::array<char, 96> text = {};
    if (cuda.device(&device, index) != 0 ||
        cuda.name(text.data(), static_cast<int>(text.size()), device) != 0) {
      continue;
    }
    int major = 0;
    int minor = 0;
    const bool known = cuda.attribute(&major, kCapabilityMajor, device) == 0 &&
                       cuda.attribute(&minor, kCapabilityMinor, device) == 0;
    found.gpus.push_back({text_of(text), known ? capability(major, minor) : 0});
  }
  return found;
}

std::optional<Devices> from_cuda() {
  constexpr const char* kName = "libcuda.so.1";
  const SharedLibrary library(kName);
  const Cuda cuda(library);
  if (!cuda.complete() || cuda.init(0) != 0) {
    return std::nullopt;
  }
  Devices found = ask_cuda(cuda);
  found.where = kName;
  return found;
}

}  // namespace

Devices DriverProbe::devices() const {
  if (auto found = from_nvml()) {
    return *found;
  }
  return from_cuda().value_or(Devices{});
}

}  // namespace epwise::hw
