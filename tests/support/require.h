#pragma once

#include <cstdlib>

namespace epwise::support {

/// What must hold whatever the bytes were: a fuzz target ends where it does not.
inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace epwise::support
