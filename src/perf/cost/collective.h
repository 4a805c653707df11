#pragma once

#include "perf/cost/table.h"

namespace epwise::cost {

/// One NCCL call. `bytes` is the full buffer of one rank, as in nccl-tests: the output of an
/// all-gather or all-reduce, the input of a reduce-scatter, the send buffer of an all-to-all.
struct Collective {
  CollectiveKind kind = CollectiveKind::all_to_all;
  double bytes = 0;
  int ranks = 1;
  int nvlink_domain = 0;  // ranks connected by NVLink; 0: the chip's default
  double nics = 0;        // NICs used by a ring between two domains; 0: one per rank
};

/// One domain: t = a0 + a1 (R-1) + V / (B (1 - d/R)) + c r (1 - exp(-V / (v0 r))), r = (R-1)^x and
/// V = bytes (R-1)/R, twice that for all-reduce. The last term is the climb from the latency
/// protocol to the bandwidth one. Several domains (prior): all-to-all NVLink and NIC one after
/// another; rings the slower of both.
///
///   collective(table, h100, {.kind = all_gather, .bytes = 64e6, .ranks = 8})
///
/// Rows: 2 to 8 ranks of one host, 64 KiB to 512 MiB.
Cost collective(const Table& table, const Chip& chip, const Collective& call);

}  // namespace epwise::cost
