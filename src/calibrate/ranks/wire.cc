#include "calibrate/ranks/wire.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace epwise::calibrate {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kHeader = 9;  // kind and length

void make_quick(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

bool is_transient() {
  return errno == EAGAIN || errno == EINTR;
}

/// Owns the result of getaddrinfo.
class Addresses {
 public:
  Addresses(const std::string& host, int port) {
    addrinfo wanted = {};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    const std::string service = std::to_string(port);
    failure_ = ::getaddrinfo(host.c_str(), service.c_str(), &wanted, &first_);
  }

  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;

  ~Addresses() {
    if (first_ != nullptr) {
      ::freeaddrinfo(first_);
    }
  }

  const addrinfo* first() const { return first_; }

  std::string problem() const { return failure_ == 0 ? "" : ::gai_strerror(failure_); }

 private:
  addrinfo* first_ = nullptr;
  int failure_ = 0;
};

int connect_once(const addrinfo* address) {
  for (; address != nullptr; address = address->ai_next) {
    const int socket = ::socket(address->ai_family, address->ai_socktype, address->ai_protocol);
    if (socket >= 0 && ::connect(socket, address->ai_addr, address->ai_addrlen) == 0) {
      make_quick(socket);
      return socket;
    }
    const int reason = errno;
    if (socket >= 0) {
      ::close(socket);
    }
    errno = reason;
  }
  return -1;
}

}  // namespace

double steady_seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

Wire::Wire(Wire&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Wire& Wire::operator=(Wire&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

Wire::~Wire() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

Wire::Outcome Wire::wait(short events, double deadline) const {
  while (true) {
    const double left = deadline - steady_seconds();
    if (left <= 0) {
      return Outcome::late;
    }
    pollfd one = {socket_, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::min(left * 1e3 + 1, 1e6)));
    if (ready > 0) {
      return Outcome::done;
    }
    if (ready < 0 && errno != EINTR) {
      return Outcome::closed;
    }
  }
}

Wire::Outcome Wire::send(Kind kind, std::string_view bytes, double deadline) {
  if (!is_open()) {
    return Outcome::closed;
  }
  std::string all(kHeader, '\0');
  all[0] = static_cast<char>(kind);
  const std::uint64_t size = bytes.size();
  for (std::size_t i = 0; i < sizeof size; ++i) {
    all[1 + i] = static_cast<char>((size >> (8 * i)) & 0xffU);
  }
  all += bytes;
  std::size_t sent = 0;
  while (sent < all.size()) {
    const ssize_t now = ::send(socket_, all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
    if (now > 0) {
      sent += static_cast<std::size_t>(now);
      continue;
    }
    if (!is_transient()) {
      return Outcome::closed;
    }
    const Outcome ready = wait(POLLOUT, deadline);
    if (ready != Outcome::done) {
      return ready;
    }
  }
  return Outcome::done;
}

Wire::Outcome Wire::read_all(char* to, std::size_t size, double deadline) const {
  std::size_t read = 0;
  while (read < size) {
    const ssize_t now = ::recv(socket_, to + read, size - read, 0);
    if (now > 0) {
      read += static_cast<std::size_t>(now);
      continue;
    }
    if (now == 0 || !is_transient()) {
      return Outcome::closed;
    }
    const Outcome ready = wait(POLLIN, deadline);
    if (ready != Outcome::done) {
      return ready;
    }
  }
  return Outcome::done;
}

Wire::Outcome Wire::receive(Message& message, double deadline) {
  if (!is_open()) {
    return Outcome::closed;
  }
  std::array<char, kHeader> header{};
  Outcome outcome = read_all(header.data(), header.size(), deadline);
  if (outcome != Outcome::done) {
    return outcome;
  }
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < sizeof size; ++i) {
    size |= static_cast<std::uint64_t>(static_cast<unsigned char>(header[1 + i])) << (8 * i);
  }
  if (size > kMostBytes) {
    return Outcome::closed;  // not one of our messages
  }
  message.kind = static_cast<Kind>(header[0]);
  message.bytes.resize(size);
  outcome = size == 0 ? Outcome::done : read_all(message.bytes.data(), size, deadline);
  return outcome;
}

Listener::Listener(int port, std::string& problem) {
  socket_ = ::socket(AF_INET6, SOCK_STREAM, 0);
  const bool wide = socket_ >= 0;
  if (!wide) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  }
  const int on = 1;
  const int off = 0;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  int bound = -1;
  if (wide) {
    ::setsockopt(socket_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 any = {};
    any.sin6_family = AF_INET6;
    any.sin6_addr = in6addr_any;
    any.sin6_port = htons(static_cast<std::uint16_t>(port));
    bound = ::bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof any);
  } else {
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_port = htons(static_cast<std::uint16_t>(port));
    bound = ::bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof any);
  }
  constexpr int kWaiting = 1024;
  if (bound != 0 || ::listen(socket_, kWaiting) != 0) {
    problem = fmt::format("rank 0 cannot listen on port {}: {}; set MASTER_PORT to a free one",
                          port,
                          std::strerror(errno));
    return;
  }
  make_quick(socket_);
}

Listener::~Listener() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

Wire Listener::accept(double deadline) const {
  while (steady_seconds() < deadline) {
    const int socket = ::accept(socket_, nullptr, nullptr);
    if (socket >= 0) {
      make_quick(socket);
      return Wire(socket);
    }
    if (!is_transient() && errno != ECONNABORTED) {
      break;
    }
    pollfd one = {socket_, POLLIN, 0};
    constexpr int kLook = 100;  // ms
    ::poll(&one, 1, kLook);
  }
  return Wire();
}

Wire connect_to(const std::string& address, int port, double deadline, std::string& problem) {
  constexpr auto kPause = std::chrono::milliseconds(50);
  while (true) {
    const Addresses addresses(address, port);
    problem = addresses.problem();
    if (problem.empty()) {
      const int socket = connect_once(addresses.first());
      if (socket >= 0) {
        return Wire(socket);
      }
      problem = std::strerror(errno);
    }
    if (steady_seconds() >= deadline) {
      return Wire();
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace epwise::calibrate
