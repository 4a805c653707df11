/// Bytes that another process sends to a rank of a calibration: messages, or the connection counts
/// as closed; nothing that claims a size makes room for it unseen.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sys/socket.h>
#include <unistd.h>

#include "calibrate/ranks/wire.h"
#include "support/fuzz_target.h"
#include "support/require.h"

FUZZ_TARGET(wire) {
  using epwise::calibrate::Wire;
  using epwise::support::require;
  constexpr std::size_t kMost = 1U << 14U;  // less than a socket holds unread
  constexpr double kSoon = 5;               // s; nothing is waited for
  size = std::min(size, kMost);
  int ends[2] = {-1, -1};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  Wire wire(ends[0]);
  require(size == 0 || ::send(ends[1], data, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size));
  ::close(ends[1]);
  std::size_t received = 0;
  Wire::Message message;
  const double deadline = epwise::calibrate::steady_seconds() + kSoon;
  Wire::Outcome outcome = wire.receive(message, deadline);
  for (; outcome == Wire::Outcome::done; outcome = wire.receive(message, deadline)) {
    constexpr std::size_t kHeader = 9;
    received += kHeader + message.bytes.size();
    require(received <= size);
  }
  require(outcome == Wire::Outcome::closed);
  return 0;
}
