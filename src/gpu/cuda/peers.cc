#include "gpu/cuda/peers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>

#include "base/os/disk_files.h"
#include "gpu/cuda/agreement.h"

namespace epwise::cuda {

namespace {

/// Differs between hosts, and between containers that cannot see each other's devices.
std::string host_identity() {
  std::array<char, 256> name = {};
  gethostname(name.data(), name.size() - 1);
  std::string identity = name.data();
  const os::DiskFiles files;
  const std::string boot = "/proc/sys/kernel/random/boot_id";
  if (files.is_file(boot)) {
    identity += " " + files.read(boot, 64);
  }
  return identity;
}

}  // namespace

Peers::Peers(Gpu& gpu, calibrate::Ranks& ranks) : gpu_(gpu), ranks_(ranks) {
  domain_ = {ranks.rank()};
  if (ranks.size() == 1) {
    return;
  }
  const auto hosts = ranks.all_gather(host_identity());
  refuse_shared_gpu(hosts);
  const Memory probe(gpu.driver(), std::size_t{1} << 21U);
  const auto handles = ranks.all_gather(handle_if_any(probe));
  std::string reached;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    bool open = rank == ranks.rank();
    if (!open && !handles[place].empty() &&
        hosts[place] == hosts[static_cast<std::size_t>(ranks.rank())]) {
      IpcHandle handle;
      std::memcpy(handle.bytes,
                  handles[place].data(),
                  std::min(sizeof(handle.bytes), handles[place].size()));
      Address address = 0;
      open = gpu.driver().cuIpcOpenMemHandle_v2(&address, handle, kIpcLazyPeerAccess) == kSuccess;
      if (open) {
        gpu.driver().cuIpcCloseMemHandle(address);
      }
    }
    reached += open ? '1' : '0';
  }
  const auto all = ranks.all_gather(reached);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const bool there = reached[static_cast<std::size_t>(rank)] == '1';
    const bool back =
        all[static_cast<std::size_t>(rank)][static_cast<std::size_t>(ranks.rank())] == '1';
    if (rank != ranks.rank() && there && back) {
      domain_.push_back(rank);
    }
  }
  std::sort(domain_.begin(), domain_.end());
}

Peers::~Peers() = default;

void Peers::refuse_shared_gpu(const std::vector<std::string>& hosts) const {
  const auto buses = ranks_.all_gather(gpu_.bus());
  for (std::size_t one = 0; one < hosts.size(); ++one) {
    for (std::size_t other = one + 1; other < hosts.size(); ++other) {
      if (hosts[one] == hosts[other] && buses[one] == buses[other]) {
        throw DeviceError(
            fmt::format("ranks {} and {} use the same GPU: run one process per GPU", one, other),
            false);
      }
    }
  }
}

int Peers::place() const {
  return static_cast<int>(std::find(domain_.begin(), domain_.end(), ranks_.rank()) -
                          domain_.begin());
}

std::string Peers::handle_of(const Memory& memory) const {
  IpcHandle handle;
  check(gpu_.driver(),
        gpu_.driver().cuIpcGetMemHandle(&handle, memory.address()),
        "cuIpcGetMemHandle");
  return {handle.bytes, sizeof(handle.bytes)};
}

/// Some containers and partitioned GPUs export no handles: such a rank is alone in its domain.
std::string Peers::handle_if_any(const Memory& memory) const {
  try {
    return handle_of(memory);
  } catch (const DeviceError& error) {
    if (error.fatal()) {
      throw;
    }
    return {};
  }
}

std::vector<Address> Peers::open_all(const std::vector<std::string>& handles) {
  std::vector<Address> addresses(domain_.size(), 0);
  for (std::size_t i = 0; i < domain_.size(); ++i) {
    if (domain_[i] == ranks_.rank()) {
      continue;
    }
    IpcHandle handle;
    const std::string& bytes = handles[static_cast<std::size_t>(domain_[i])];
    std::memcpy(handle.bytes, bytes.data(), std::min(sizeof(handle.bytes), bytes.size()));
    const Result result =
        gpu_.driver().cuIpcOpenMemHandle_v2(&addresses[i], handle, kIpcLazyPeerAccess);
    if (result != kSuccess) {
      addresses[i] = 0;
      release(addresses);
      check(gpu_.driver(), result, "cuIpcOpenMemHandle");
    }
  }
  return addresses;
}

std::vector<Address> Peers::exchange(const Memory& memory) {
  if (domain_.size() == 1 && ranks_.size() == 1) {
    return {memory.address()};
  }
  std::string mine;
  in_step(ranks_, [&] { mine = handle_of(memory); });
  const auto handles = ranks_.all_gather(mine);
  std::vector<Address> addresses;
  in_step(ranks_, [&] { addresses = open_all(handles); });
  addresses[static_cast<std::size_t>(place())] = memory.address();
  return addresses;
}

void Peers::release(const std::vector<Address>& addresses) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (static_cast<int>(i) != place() && addresses[i] != 0) {
      gpu_.driver().cuIpcCloseMemHandle(addresses[i]);
    }
  }
}

}  // namespace epwise::cuda
