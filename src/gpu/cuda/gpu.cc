#include "gpu/cuda/gpu.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "gpu/abi/exchange.h"

namespace epwise::cuda {

Memory::Memory(const Driver& driver, std::size_t bytes) : driver_(driver), bytes_(bytes) {
  check(driver, driver.cuMemAlloc_v2(&address_, std::max<std::size_t>(bytes, 16)), "cuMemAlloc");
}

Memory::~Memory() {
  driver_.cuMemFree_v2(address_);
}

HostWords::HostWords(const Driver& driver, std::size_t count) : driver_(driver) {
  void* place = nullptr;
  check(driver,
        driver.cuMemHostAlloc(&place, count * sizeof(std::uint32_t), kHostPortable | kHostMapped),
        "cuMemHostAlloc");
  words_ = static_cast<std::uint32_t*>(place);
  std::fill_n(words_, count, 0U);
  check(driver,
        driver.cuMemHostGetDevicePointer_v2(&address_, place, 0),
        "cuMemHostGetDevicePointer");
}

HostWords::~HostWords() {
  driver_.cuMemFreeHost(words_);
}

std::uint32_t* HostWords::on_device(std::size_t i) const {
  return reinterpret_cast<std::uint32_t*>(address_ + i * sizeof(std::uint32_t));
}

Gpu::Gpu(const Driver& driver, int number, std::span<const std::byte> image) : driver_(driver) {
  check(driver, driver.cuDeviceGet(&device_, number), "cuDeviceGet");
  // The primary context is the one used by cuBLAS and NCCL.
  check(driver, driver.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
  check(driver, driver.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
  sms_ = attribute(kMultiprocessors);
  shared_limit_ = static_cast<std::size_t>(attribute(kSharedMemoryLimit));
  capability_ = attribute(kCapabilityMajor) * 10 + attribute(kCapabilityMinor);
  load_kernels(image);
  int least = 0;
  int greatest = 0;
  check(
      driver, driver.cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
  work_ = new_stream(least);
  other_ = new_stream(greatest);
  constexpr int kGroupStreams = 4;
  // Training libraries give the streams of their experts one level above the default priority.
  for (int i = 0; i < kGroupStreams; ++i) {
    groups_.push_back(new_stream(std::max(least - 1, greatest)));
  }
}

/// An old driver is the usual reason that kernels cannot be loaded, and its error does not say so.
void Gpu::load_kernels(std::span<const std::byte> image) {
  const Result result = driver_.cuModuleLoadData(&module_, image.data());
  if (result == kSuccess) {
    return;
  }
  int version = 0;
  driver_.cuDriverGetVersion(&version);
  const char* name = nullptr;
  driver_.cuGetErrorName(result, &name);
  throw DeviceError(
      fmt::format(
          "cannot load its kernels ({}): the driver supports CUDA {}.{}, the kernels are for {}",
          name == nullptr ? "unknown error" : name,
          version / 1000,
          version / 10 % 100,
          EPWISE_KERNEL_TARGETS),
      false);
}

Gpu::~Gpu() {
  for (const Stream stream : groups_) {
    driver_.cuStreamDestroy_v2(stream);
  }
  driver_.cuStreamDestroy_v2(work_);
  driver_.cuStreamDestroy_v2(other_);
  driver_.cuModuleUnload(module_);
  driver_.cuDevicePrimaryCtxRelease_v2(device_);
}

int Gpu::attribute(DeviceAttribute which) const {
  int value = 0;
  check(driver_, driver_.cuDeviceGetAttribute(&value, which, device_), "cuDeviceGetAttribute");
  return value;
}

std::string Gpu::name() const {
  std::array<char, 128> text = {};
  check(driver_,
        driver_.cuDeviceGetName(text.data(), static_cast<int>(text.size()) - 1, device_),
        "cuDeviceGetName");
  return text.data();
}

std::string Gpu::bus() const {
  std::array<char, 64> text = {};
  check(driver_,
        driver_.cuDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()) - 1, device_),
        "cuDeviceGetPCIBusId");
  return text.data();
}

std::size_t Gpu::total_memory() const {
  std::size_t bytes = 0;
  check(driver_, driver_.cuDeviceTotalMem_v2(&bytes, device_), "cuDeviceTotalMem");
  return bytes;
}

std::size_t Gpu::free_memory() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(driver_, driver_.cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
  return free;
}

Stream Gpu::new_stream(int priority) const {
  Stream stream = nullptr;
  check(driver_,
        driver_.cuStreamCreateWithPriority(&stream, kStreamNonBlocking, priority),
        "cuStreamCreateWithPriority");
  return stream;
}

Function Gpu::function(const std::string& kernel) {
  const auto found = functions_.find(kernel);
  if (found != functions_.end()) {
    return found->second;
  }
  Function function = nullptr;
  check(driver_,
        driver_.cuModuleGetFunction(&function, module_, kernel.c_str()),
        "cuModuleGetFunction");
  check(driver_,
        driver_.cuFuncSetAttribute(
            function, kSharedMemoryOfFunction, static_cast<int>(shared_limit_)),
        "cuFuncSetAttribute");
  functions_.emplace(kernel, function);
  return function;
}

void Gpu::launch_raw(Stream stream,
                     const std::string& kernel,
                     const LaunchShape& shape,
                     void* arguments) {
  std::array<LaunchAttribute, 2> attributes = {};
  unsigned count = 0;
  if (shape.together) {
    attributes[count].id = kCooperative;
    attributes[count++].value.number = 1;
  }
  if (shape.cluster > 1) {
    attributes[count].id = kClusterDimension;
    attributes[count].value.dimension[0] = static_cast<unsigned>(shape.cluster);
    attributes[count].value.dimension[1] = 1;
    attributes[count++].value.dimension[2] = 1;
  }
  LaunchConfiguration configuration;
  configuration.grid[0] = static_cast<unsigned>(shape.blocks);
  configuration.block[0] = static_cast<unsigned>(shape.threads);
  configuration.shared_bytes = static_cast<unsigned>(shape.shared_bytes);
  configuration.stream = stream;
  configuration.attributes = attributes.data();
  configuration.attribute_count = count;
  std::array<void*, 1> values = {arguments};
  check(driver_,
        driver_.cuLaunchKernelEx(&configuration, function(kernel), values.data(), nullptr),
        kernel.c_str());
}

void Gpu::wait(Stream stream, double timeout) const {
  const auto start = std::chrono::steady_clock::now();
  const auto limit = std::chrono::duration<double>(timeout);
  Result result = driver_.cuStreamQuery(stream);
  while (result == kNotReady) {
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > limit) {
      throw DeviceError(fmt::format("no response from the device for {:g} s", timeout), true);
    }
    // Short waits poll, so that the host is not late; long ones yield the core.
    if (waited > std::chrono::milliseconds(2)) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    result = driver_.cuStreamQuery(stream);
  }
  check(driver_, result, "cuStreamQuery");
}

void Gpu::set_bytes(Stream stream, const Memory& memory, unsigned char value) const {
  check(driver_,
        driver_.cuMemsetD8Async(memory.address(), value, memory.size(), stream),
        "cuMemsetD8Async");
}

Pool::Entry& Pool::add(const std::string& name, std::size_t bytes) {
  // Whole allocations of 2 MiB: a peer that maps a smaller one gets the block that contains it.
  constexpr std::size_t kBlock = std::size_t{1} << 21U;
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + kBlock - 1) / kBlock * kBlock;
  std::size_t held = 0;
  for (const auto& [other, entry] : entries_) {
    held += entry.memory->size();
  }
  if (held + whole > most_bytes_) {
    throw DeviceError(
        fmt::format("needs {:.1f} GB more in addition to {:.1f} GB in use; the limit is {:.1f} GB",
                    static_cast<double>(whole) * 1e-9,
                    static_cast<double>(held) * 1e-9,
                    static_cast<double>(most_bytes_) * 1e-9),
        false);
  }
  return entries_.emplace(name, Entry{std::make_shared<Memory>(gpu_.driver(), whole)})->second;
}

Pool::Entry& Pool::take(const std::string& name, std::size_t bytes) {
  const auto [begin, end] = entries_.equal_range(name);
  const auto found = std::find_if(
      begin, end, [bytes](const auto& entry) { return entry.second.memory->size() >= bytes; });
  return found == end ? add(name, bytes) : found->second;
}

std::shared_ptr<Memory> Pool::filled(abi::Fill fill, std::uint64_t seed, std::size_t bytes) {
  const std::size_t whole = (bytes + 15) / 16 * 16;
  Entry& entry = take(fmt::format("fill {} {}", static_cast<int>(fill), seed), whole);
  if (entry.filled < whole) {
    abi::FillArguments arguments = {};
    arguments.words = entry.memory->as<std::uint32_t>();
    arguments.count = whole / 4;
    arguments.seed = seed;
    arguments.fill = fill;
    gpu_.launch(
        gpu_.work_stream(), "epwise_fill", {4 * gpu_.sms(), abi::kStreamThreads}, arguments);
    entry.filled = whole;
  }
  return entry.memory;
}

std::shared_ptr<Memory> Pool::blank(const std::string& role, std::size_t bytes) {
  return take("blank " + role, bytes).memory;
}

std::shared_ptr<Memory> Pool::own(std::size_t bytes) {
  const Entry& entry = add("own", bytes);
  gpu_.set_bytes(gpu_.work_stream(), *entry.memory, 0);
  return entry.memory;
}

void Pool::trim() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    entry = entry->second.memory.use_count() == 1 ? entries_.erase(entry) : std::next(entry);
  }
}

}  // namespace epwise::cuda
