#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/abi/arguments.h"
#include "gpu/cuda/driver.h"

namespace epwise::cuda {

/// Device memory, released on destruction.
class Memory {
 public:
  Memory(const Driver& driver, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Address address() const { return address_; }

  std::size_t size() const { return bytes_; }

  /// The address as a kernel argument; not dereferenceable here.
  template <class Value>
  Value* as(std::size_t offset = 0) const {
    return reinterpret_cast<Value*>(address_ + offset);
  }

 private:
  const Driver& driver_;
  Address address_ = 0;
  std::size_t bytes_;
};

/// Host memory that kernels read and write: flags.
class HostWords {
 public:
  HostWords(const Driver& driver, std::size_t count);
  ~HostWords();
  HostWords(const HostWords&) = delete;
  HostWords& operator=(const HostWords&) = delete;

  volatile std::uint32_t& operator[](std::size_t i) { return words_[i]; }

  /// The device address of the word.
  std::uint32_t* on_device(std::size_t i) const;

 private:
  const Driver& driver_;
  std::uint32_t* words_ = nullptr;
  Address address_ = 0;
};

/// Launch configuration of a kernel. Cooperative launches start when all blocks fit, or fail.
struct LaunchShape {
  int blocks = 1;
  int threads = 32;
  std::size_t shared_bytes = 0;
  bool together = false;
  int cluster = 1;
};

/// The GPU of this rank: its context, our kernels, streams. Only one is current at a time.
class Gpu {
 public:
  /// Device `number` of the visible ones. `image` contains the kernels for all architectures.
  /// Throws DeviceError.
  Gpu(const Driver& driver, int number, std::span<const std::byte> image);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Driver& driver() const { return driver_; }

  int attribute(DeviceAttribute which) const;

  int sms() const { return sms_; }

  std::size_t shared_limit() const { return shared_limit_; }

  /// 90 for compute capability 9.0.
  int capability() const { return capability_; }

  std::string name() const;
  std::string bus() const;
  std::size_t total_memory() const;
  std::size_t free_memory() const;

  Stream work_stream() const { return work_; }

  /// With the highest priority, as training gives communication.
  Stream other_stream() const { return other_; }

  /// Four streams for grouped GEMMs.
  const std::vector<Stream>& group_streams() const { return groups_; }

  template <class Arguments>
  void launch(Stream stream,
              const std::string& kernel,
              const LaunchShape& shape,
              const Arguments& arguments) {
    Arguments copy = arguments;
    launch_raw(stream, kernel, shape, &copy);
  }

  /// Waits until the stream is empty; DeviceError (fatal) after `timeout` seconds.
  void wait(Stream stream, double timeout) const;

  template <class Value>
  std::vector<Value> download(Address from, std::size_t count) const {
    std::vector<Value> values(count);
    if (count > 0) {
      check(driver_,
            driver_.cuMemcpyDtoH_v2(values.data(), from, count * sizeof(Value)),
            "cuMemcpyDtoH");
    }
    return values;
  }

  template <class Value>
  std::unique_ptr<Memory> upload(const std::vector<Value>& values) const {
    auto memory =
        std::make_unique<Memory>(driver_, std::max<std::size_t>(values.size(), 1) * sizeof(Value));
    if (!values.empty()) {
      check(
          driver_,
          driver_.cuMemcpyHtoD_v2(memory->address(), values.data(), values.size() * sizeof(Value)),
          "cuMemcpyHtoD");
    }
    return memory;
  }

  void set_bytes(Stream stream, const Memory& memory, unsigned char value) const;

 private:
  void launch_raw(Stream stream,
                  const std::string& kernel,
                  const LaunchShape& shape,
                  void* arguments);
  Function function(const std::string& kernel);
  Stream new_stream(int priority) const;
  void load_kernels(std::span<const std::byte> image);

  const Driver& driver_;
  DeviceNumber device_ = 0;
  Context context_ = nullptr;
  Module module_ = nullptr;
  int sms_ = 0;
  int capability_ = 0;
  std::size_t shared_limit_ = 0;
  Stream work_ = nullptr;
  Stream other_ = nullptr;
  std::vector<Stream> groups_;
  std::map<std::string, Function> functions_;
};

/// Buffers shared by measurements: buffers with the same name have the same contents, generated
/// from a seed, and the largest serves all. A measurement keeps its buffers; `trim` releases those
/// that nothing uses.
class Pool {
 public:
  Pool(Gpu& gpu, std::size_t most_bytes) : gpu_(gpu), most_bytes_(most_bytes) {}

  /// At least `bytes`, filled with `fill` from `seed` if new. Throws DeviceError("needs 93 GB …").
  std::shared_ptr<Memory> filled(abi::Fill fill, std::uint64_t seed, std::size_t bytes);

  /// At least `bytes` with any contents; `role` separates buffers that one measurement needs at the
  /// same time.
  std::shared_ptr<Memory> blank(const std::string& role, std::size_t bytes);

  /// At least `bytes` of zeros that are not shared. Like the others, released by `trim` once no
  /// peer maps them.
  std::shared_ptr<Memory> own(std::size_t bytes);

  void trim();

 private:
  struct Entry {
    std::shared_ptr<Memory> memory;
    std::size_t filled = 0;  // bytes from its start
  };

  Entry& take(const std::string& name, std::size_t bytes);
  Entry& add(const std::string& name, std::size_t bytes);

  Gpu& gpu_;
  std::size_t most_bytes_;
  std::multimap<std::string, Entry> entries_;
};

}  // namespace epwise::cuda
