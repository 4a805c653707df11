#pragma once

#include <string>
#include <vector>

#include "calibrate/ranks/ranks.h"
#include "gpu/cuda/gpu.h"

namespace epwise::cuda {

/// Memory of other ranks' GPUs, mapped locally. Reaches ranks on the same host; NVLink domains
/// across hosts count as several domains.
class Peers {
 public:
  /// A collective call: queries all ranks. Does nothing for a single rank.
  Peers(Gpu& gpu, calibrate::Ranks& ranks);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// Ranks with mutual memory access, including this one; ascending.
  const std::vector<int>& domain() const { return domain_; }

  /// Index of this rank in the domain.
  int place() const;

  /// The same buffer on every rank of the domain: a collective call. Stays mapped until `release`.
  /// Throws DeviceError if a mapping fails.
  std::vector<Address> exchange(const Memory& memory);

  /// Unmaps buffers returned by `exchange`.
  void release(const std::vector<Address>& addresses);

 private:
  std::vector<Address> open_all(const std::vector<std::string>& handles);
  void refuse_shared_gpu(const std::vector<std::string>& hosts) const;
  std::string handle_of(const Memory& memory) const;
  std::string handle_if_any(const Memory& memory) const;

  Gpu& gpu_;
  calibrate::Ranks& ranks_;
  std::vector<int> domain_;
};

}  // namespace epwise::cuda
