#pragma once

#include <cstdio>
#include <cstdlib>

namespace epwise::support {

/// What must hold whatever the bytes were: a fuzz target ends where it does not, and names the place. The defaults are those of
/// std::source_location::current(), which clang 14 does not have with libstdc++.
inline void require(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!holds) {
    static_cast<void>(std::fprintf(stderr, "%s:%d: what must hold does not\n", file, line));
    std::abort();
  }
}

}  // namespace epwise::support
