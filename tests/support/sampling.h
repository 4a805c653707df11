#pragma once

namespace epwise::test {

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
