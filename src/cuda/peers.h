#pragma once

#include <string>
#include <vector>

#include "calibrate/ranks/ranks.h"
#include "cuda/gpu.h"

namespace epwise::cuda {

/// Memory of other ranks' GPUs, mapped here. Reaches ranks on the same host; NVLink domains across
/// hosts count as several domains.
class Peers {
 public:
  /// Asks all ranks; every rank calls it at the same time. Without others nothing is asked.
  Peers(Gpu& gpu, calibrate::Ranks& ranks);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// Ranks whose memory this one reaches and that reach its, this one among them; ascending.
  const std::vector<int>& domain() const { return domain_; }

  /// Place of this rank in the domain.
  int place() const;

  /// The same buffer of every rank of the domain: all of them call it at the same time. Stays
  /// mapped until `release`. Throws DeviceError when a mapping fails.
  std::vector<Address> exchange(const Memory& memory);

  /// Unmaps what `exchange` gave.
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
