// What kernels and streams do, by their names and by how often they come.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>

#include "advise/run_profile.h"

namespace epwise::advise {

namespace {

template <std::size_t N>
bool has_any(const std::string& text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

}  // namespace

KernelKind kind_of(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kLibraries{
      "deep_ep", "hybrid_ep", "hybridep", "nccl_ep"};
  static constexpr std::array<std::string_view, 2> kMoves{"dispatch", "combine"};
  static constexpr std::array<std::string_view, 6> kPrepares{
      "notify", "layout", "preprocess", "metadata", "scan", "barrier"};
  static constexpr std::array<std::string_view, 3> kTokens{"sendrecv", "alltoall", "all_to_all"};
  static constexpr std::array<std::string_view, 7> kProducts{
      "gemm", "nvjet", "cutlass", "xmma", "cublas", "wgmma", "matmul"};
  std::string lower(name);
  std::ranges::transform(
      lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (has_any(lower, kLibraries)) {
    const bool moves = has_any(lower, kMoves);
    return moves && !has_any(lower, kPrepares) ? KernelKind::exchange : KernelKind::setup;
  }
  if (lower.find("nccl") != std::string::npos) {
    return has_any(lower, kTokens) ? KernelKind::exchange : KernelKind::communication;
  }
  return has_any(lower, kProducts) ? KernelKind::product : KernelKind::other;
}

const SendStream* exchange_stream(const std::vector<SendStream>& sends, const Traffic& traffic) {
  constexpr double kAlike = 1.25;  // in counts: a profile may begin or end amid a step
  if (sends.empty() || traffic.rings) {
    return nullptr;
  }
  if (traffic.transfers <= 0) {
    return &*std::ranges::max_element(sends, {}, &SendStream::per_step);
  }
  const SendStream* found = nullptr;
  for (const SendStream& each : sends) {
    const bool is_exchange = kAlike * each.per_step >= traffic.exchanges;
    const bool is_transfer = each.per_step <= kAlike * traffic.transfers;
    if (is_exchange == is_transfer || (is_exchange && found != nullptr)) {
      return nullptr;
    }
    found = is_exchange ? &each : found;
  }
  // A pipeline's transfers must be seen somewhere else, or they are among these.
  return sends.size() > 1 ? found : nullptr;
}

}  // namespace epwise::advise
