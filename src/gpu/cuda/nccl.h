#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/ranks/ranks.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/library.h"

/// The part of NCCL used by calibration, declared here and checked against nccl.h by
/// tests/kernels/abi_test.cc.
namespace epwise::cuda {

struct NcclHandle;

struct NcclId {
  char bytes[128] = {};
};

/// The configuration of a communicator up to NCCL 2.18; later libraries read the version and fill
/// in the rest.
struct NcclConfiguration {
  std::size_t size = sizeof(NcclConfiguration);
  unsigned magic = 0xcafebeef;
  unsigned version = 21805;
  int blocking = 0;
  int cluster = kUndefined;
  int least_blocks = kUndefined;
  int most_blocks = kUndefined;
  const char* network = nullptr;
  int split_share = kUndefined;

  static constexpr int kUndefined = -2147483647 - 1;
};

enum NcclType : int { kNcclByte = 1, kNcclBfloat16 = 9 };

constexpr int kNcclSum = 0;
constexpr int kNcclInProgress = 7;

/// Functions of libnccl, each under its original name.
struct Nccl {
  int (*ncclGetVersion)(int*) = nullptr;
  const char* (*ncclGetErrorString)(int) = nullptr;
  int (*ncclGetUniqueId)(NcclId*) = nullptr;
  int (*ncclCommInitRankConfig)(NcclHandle**, int, NcclId, int, NcclConfiguration*) = nullptr;
  int (*ncclCommAbort)(NcclHandle*) = nullptr;
  int (*ncclCommGetAsyncError)(NcclHandle*, int*) = nullptr;
  int (*ncclGroupStart)() = nullptr;
  int (*ncclGroupEnd)() = nullptr;
  int (*ncclSend)(const void*, std::size_t, int, int, NcclHandle*, Stream) = nullptr;
  int (*ncclRecv)(void*, std::size_t, int, int, NcclHandle*, Stream) = nullptr;
  int (*ncclAllGather)(const void*, void*, std::size_t, int, NcclHandle*, Stream) = nullptr;
  int (*ncclReduceScatter)(const void*, void*, std::size_t, int, int, NcclHandle*, Stream) =
      nullptr;
};

struct LoadedNccl {
  Nccl nccl = {};
  std::string reason = {};
};

LoadedNccl load_nccl(const Library& library);

/// "2.28.9" for 22809; empty if unknown.
std::string nccl_version(const Nccl& nccl);

/// A communicator of some ranks, created with NCCL's unique id. Non-blocking: a missing rank shows
/// as a time-out.
class Communicator {
 public:
  /// A collective call of all ranks, each with its own `members` (ranks, ascending). Throws
  /// DeviceError on all ranks, or on none.
  Communicator(const Nccl& nccl, calibrate::Ranks& ranks, std::vector<int> members, double timeout);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const std::vector<int>& members() const { return members_; }

  /// Index of this rank among them.
  int place() const { return place_; }

  void all_to_all(Address from, Address to, std::size_t bytes_each, Stream stream) const;
  void all_gather(Address from, Address to, std::size_t bytes, Stream stream) const;
  void reduce_scatter(Address from, Address to, std::size_t elements, Stream stream) const;
  void send_and_receive(
      Address from, Address to, std::size_t bytes, int to_rank, int from_rank, Stream stream) const;

 private:
  void abort();
  void settle(int status, const char* what) const;
  void expect(int status, const char* what) const;

  const Nccl& nccl_;
  std::vector<int> members_;
  int place_ = 0;
  double timeout_;
  NcclHandle* handle_ = nullptr;
};

}  // namespace epwise::cuda
