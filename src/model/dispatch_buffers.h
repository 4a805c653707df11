#pragma once

#include "model/workload.h"

namespace epwise::model {

/// Bytes that a flex dispatcher allocates for itself, outside of the framework's allocator:
///   HybridEP   tokens · ranks · width · 2 for the worst case that all tokens go to one rank (less
///              with a rank capacity), 4 bytes a token and expert for probabilities, and what
///              leaves for other domains
///   DeepEP     SMs/2 channels · ranks of a domain · 256 tokens for each direction, and 128 tokens
///              a domain for the network
///   NCCL-EP    as HybridEP
/// 0 for all-to-all and all-gather. The channel depths are DeepEP's defaults.
///   DeepSeek-V3, EP 64 in one domain, 4096 tokens, HybridEP → 3.76e9 and 0.27e9
double dispatch_buffer_bytes(const Workload& workload);

}  // namespace epwise::model
