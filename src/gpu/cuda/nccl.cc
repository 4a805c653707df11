#include "gpu/cuda/nccl.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "gpu/cuda/agreement.h"

namespace epwise::cuda {

LoadedNccl load_nccl(const Library& library) {
  LoadedNccl loaded;
  if (!library.is_open()) {
    loaded.reason = "NCCL: " + library.reason();
    return loaded;
  }
  Nccl& nccl = loaded.nccl;
  const auto find = [&library, &loaded](const char* name, auto*& function) {
    if (!library.find(name, function) && loaded.reason.empty()) {
      loaded.reason = std::string("NCCL is too old: it has no ") + name;
    }
  };
  find("ncclGetVersion", nccl.ncclGetVersion);
  find("ncclGetErrorString", nccl.ncclGetErrorString);
  find("ncclGetUniqueId", nccl.ncclGetUniqueId);
  find("ncclCommInitRankConfig", nccl.ncclCommInitRankConfig);
  find("ncclCommAbort", nccl.ncclCommAbort);
  find("ncclCommGetAsyncError", nccl.ncclCommGetAsyncError);
  find("ncclGroupStart", nccl.ncclGroupStart);
  find("ncclGroupEnd", nccl.ncclGroupEnd);
  find("ncclSend", nccl.ncclSend);
  find("ncclRecv", nccl.ncclRecv);
  find("ncclAllGather", nccl.ncclAllGather);
  find("ncclReduceScatter", nccl.ncclReduceScatter);
  return loaded;
}

std::string nccl_version(const Nccl& nccl) {
  int version = 0;
  if (nccl.ncclGetVersion == nullptr || nccl.ncclGetVersion(&version) != 0) {
    return {};
  }
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

Communicator::Communicator(const Nccl& nccl,
                           calibrate::Ranks& ranks,
                           std::vector<int> members,
                           double timeout)
    : nccl_(nccl),
      members_(std::move(members)),
      place_(static_cast<int>(std::find(members_.begin(), members_.end(), ranks.rank()) -
                              members_.begin())),
      timeout_(timeout) {
  // The first of each group publishes its id; each member takes that of its own first.
  NcclId id;
  in_step(ranks, [&] {
    if (place_ == 0) {
      expect(nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
    }
  });
  const auto told = ranks.all_gather(place_ == 0 ? std::string(id.bytes, sizeof(id.bytes)) : "");
  const std::string& first = told[static_cast<std::size_t>(members_.front())];
  std::memcpy(id.bytes, first.data(), std::min(sizeof(id.bytes), first.size()));
  NcclConfiguration configuration;
  const auto join = [&] {
    settle(nccl.ncclCommInitRankConfig(
               &handle_, static_cast<int>(members_.size()), id, place_, &configuration),
           "ncclCommInitRankConfig");
  };
  try {
    in_step(ranks, join);
  } catch (...) {
    abort();
    throw;
  }
}

Communicator::~Communicator() {
  abort();
}

// Not destroy, which waits for ranks that may be gone.
void Communicator::abort() {
  if (handle_ != nullptr) {
    nccl_.ncclCommAbort(handle_);
    handle_ = nullptr;
  }
}

void Communicator::expect(int status, const char* what) const {
  if (status != 0 && status != kNcclInProgress) {
    throw DeviceError(fmt::format("{}: {}", what, nccl_.ncclGetErrorString(status)), true);
  }
}

void Communicator::settle(int status, const char* what) const {
  expect(status, what);
  const auto start = std::chrono::steady_clock::now();
  int state = status;
  while (state == kNcclInProgress) {
    expect(nccl_.ncclCommGetAsyncError(handle_, &state), what);
    if (std::chrono::steady_clock::now() - start > std::chrono::duration<double>(timeout_)) {
      throw DeviceError(fmt::format("{}: a rank did not arrive within {:g} s", what, timeout_),
                        true);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  expect(state, what);
}

void Communicator::all_to_all(Address from,
                              Address to,
                              std::size_t bytes_each,
                              Stream stream) const {
  expect(nccl_.ncclGroupStart(), "ncclGroupStart");
  for (int rank = 0; rank < static_cast<int>(members_.size()); ++rank) {
    const Address offset = static_cast<Address>(rank) * bytes_each;
    expect(nccl_.ncclSend(reinterpret_cast<const void*>(from + offset),
                          bytes_each,
                          kNcclByte,
                          rank,
                          handle_,
                          stream),
           "ncclSend");
    expect(nccl_.ncclRecv(
               reinterpret_cast<void*>(to + offset), bytes_each, kNcclByte, rank, handle_, stream),
           "ncclRecv");
  }
  settle(nccl_.ncclGroupEnd(), "ncclGroupEnd");
}

void Communicator::all_gather(Address from, Address to, std::size_t bytes, Stream stream) const {
  settle(nccl_.ncclAllGather(reinterpret_cast<const void*>(from),
                             reinterpret_cast<void*>(to),
                             bytes,
                             kNcclByte,
                             handle_,
                             stream),
         "ncclAllGather");
}

void Communicator::reduce_scatter(Address from,
                                  Address to,
                                  std::size_t elements,
                                  Stream stream) const {
  settle(nccl_.ncclReduceScatter(reinterpret_cast<const void*>(from),
                                 reinterpret_cast<void*>(to),
                                 elements,
                                 kNcclBfloat16,
                                 kNcclSum,
                                 handle_,
                                 stream),
         "ncclReduceScatter");
}

void Communicator::send_and_receive(
    Address from, Address to, std::size_t bytes, int to_rank, int from_rank, Stream stream) const {
  expect(nccl_.ncclGroupStart(), "ncclGroupStart");
  expect(nccl_.ncclSend(
             reinterpret_cast<const void*>(from), bytes, kNcclByte, to_rank, handle_, stream),
         "ncclSend");
  expect(nccl_.ncclRecv(reinterpret_cast<void*>(to), bytes, kNcclByte, from_rank, handle_, stream),
         "ncclRecv");
  settle(nccl_.ncclGroupEnd(), "ncclGroupEnd");
}

}  // namespace epwise::cuda
