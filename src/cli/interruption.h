#pragma once

#include <atomic>

namespace epwise::cli {

/// Ctrl-C as a command sees it. Usually it ends the program at once; a command that writes files
/// asks to be told instead, so that it can end between two of them and say what it did. A second
/// Ctrl-C ends at once in any case. Both members may be used from a signal handler.
struct Interruption {
  std::atomic<bool> wanted{false};   // somebody pressed Ctrl-C
  std::atomic<bool> awaited{false};  // a command looks at `wanted` and will end soon
};

static_assert(std::atomic<bool>::is_always_lock_free);

/// While it lives, Ctrl-C is left to the command. A null pointer is none's.
class Awaiting {
 public:
  explicit Awaiting(Interruption* interruption) : interruption_(interruption) {
    if (interruption_ != nullptr) {
      interruption_->awaited = true;
    }
  }

  Awaiting(const Awaiting&) = delete;
  Awaiting& operator=(const Awaiting&) = delete;

  ~Awaiting() {
    if (interruption_ != nullptr) {
      interruption_->awaited = false;
    }
  }

  bool interrupted() const { return interruption_ != nullptr && interruption_->wanted; }

 private:
  Interruption* interruption_;
};

}  // namespace epwise::cli
