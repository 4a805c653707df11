#include "cuda/peers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unistd.h>

#include "world/disk_files.h"

namespace epwise::cuda {

namespace {

/// Differs between hosts, and between two containers that can't see each other's devices.
std::string host_identity() {
  std::array<char, 256> name = {};
  gethostname(name.data(), name.size() - 1);
  std::string identity = name.data();
  const world::DiskFiles files;
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
  // Whole allocations of 2 MiB: a handle of a smaller one stands for the block that it was cut
  // from.
  const Memory probe(gpu.driver(), std::size_t{1} << 21U);
  const auto hosts = ranks.all_gather(host_identity());
  const auto handles = ranks.all_gather(handle_of(probe));
  std::string reached;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    bool open = rank == ranks.rank();
    if (!open && hosts[place] == hosts[static_cast<std::size_t>(ranks.rank())]) {
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

std::vector<Address> Peers::open_all(const std::vector<std::string>& handles,
                                     const std::vector<int>& of) {
  std::vector<Address> addresses;
  for (const int rank : of) {
    Address address = 0;
    if (rank != ranks_.rank()) {
      IpcHandle handle;
      const std::string& bytes = handles[static_cast<std::size_t>(rank)];
      std::memcpy(handle.bytes, bytes.data(), std::min(sizeof(handle.bytes), bytes.size()));
      check(gpu_.driver(),
            gpu_.driver().cuIpcOpenMemHandle_v2(&address, handle, kIpcLazyPeerAccess),
            "cuIpcOpenMemHandle");
    }
    addresses.push_back(address);
  }
  return addresses;
}

std::vector<Address> Peers::exchange(const Memory& memory) {
  if (domain_.size() == 1) {
    return {memory.address()};
  }
  auto addresses = open_all(ranks_.all_gather(handle_of(memory)), domain_);
  addresses[static_cast<std::size_t>(place())] = memory.address();
  return addresses;
}

void Peers::release(const std::vector<Address>& addresses) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (static_cast<int>(i) != place()) {
      gpu_.driver().cuIpcCloseMemHandle(addresses[i]);
    }
  }
}

}  // namespace epwise::cuda
