#pragma once

#include <cstdlib>
#include <string_view>

namespace epwise::test {

/// Of how many rounds of a long test one runs: all of them (1) with EPWISE_COMPLETE=1, which
/// .ci/run sets after `tests/run.sh`; one of `n` otherwise. support/sampling.py is the same in
/// Python.
inline int share(int n) {
  const char* complete = std::getenv("EPWISE_COMPLETE");  // NOLINT(concurrency-mt-unsafe)
  return complete != nullptr && std::string_view(complete) == "1" ? 1 : n;
}

/// How many rounds of a long test make one under the sanitizers, whose build is some forty times
/// slower: `n` there, 1 elsewhere.
constexpr int sanitized_share([[maybe_unused]] int n) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return n;
#else
  return 1;
#endif
#else
  return 1;
#endif
}

}  // namespace epwise::test
