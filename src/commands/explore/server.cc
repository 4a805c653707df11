// The sockets of `epwise explore`. Debian's cpp-httplib is not used: it exists only as a shared
// library that loads OpenSSL and Brotli at every start of the program (9.6 M instructions), and the
// packages depend on glibc alone. Another server replaces this file; http.h is the seam.

#include "commands/explore/server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/os/files.h"

namespace epwise::explore {

namespace {

using ServerClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(30);  // without a byte in either direction
constexpr std::size_t kMostConnections = 32;

}  // namespace

/// A socket that is closed with it.
class Socket {
 public:
  explicit Socket(int number) : number_(number) {}

  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

  Socket& operator=(Socket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  ~Socket() {
    if (number_ >= 0) {
      close(number_);
    }
  }

  int number() const { return number_; }

 private:
  int number_;
};

/// One of the server's connections, and what it has still to send.
struct Connection {
  Socket socket;
  std::string in = {};
  std::string out = {};
  std::size_t sent = 0;  // bytes of `out`
  ServerClock::time_point last = ServerClock::now();
  bool ends = false;  // after `out` is sent
  bool dead = false;
};

namespace {

bool would_block() {
  return errno == EAGAIN || errno == EINTR;  // on Linux, EWOULDBLOCK is EAGAIN
}

void receive(Connection& connection) {
  std::string part(std::size_t{64} << 10U, '\0');
  const ssize_t size = recv(connection.socket.number(), part.data(), part.size(), 0);
  if (size <= 0) {
    connection.dead = size == 0 || !would_block();
    return;
  }
  connection.in.append(part, 0, static_cast<std::size_t>(size));
  connection.last = ServerClock::now();
}

void transmit(Connection& connection) {
  while (connection.sent < connection.out.size()) {
    const ssize_t size = send(connection.socket.number(),
                              connection.out.data() + connection.sent,
                              connection.out.size() - connection.sent,
                              MSG_NOSIGNAL);
    if (size < 0) {
      connection.dead = !would_block();
      return;
    }
    connection.sent += static_cast<std::size_t>(size);
    connection.last = ServerClock::now();
  }
  connection.out.clear();
  connection.sent = 0;
  connection.dead = connection.dead || connection.ends;
}

/// Answers what has arrived completely; a further request waits until the answer is sent.
void serve(Connection& connection, const std::function<Answer(const Request&)>& answer) {
  while (connection.out.empty() && !connection.ends && !connection.dead) {
    const Arrival arrival = read_request(connection.in);
    if (arrival.kind == Arrival::Kind::incomplete) {
      return;
    }
    if (arrival.kind == Arrival::Kind::wrong) {
      connection.out = bytes_of(refusal(arrival.status, "not a request of this page"), false, 0);
      connection.ends = true;
    } else {
      const auto begin = ServerClock::now();
      const Answer made = answer(arrival.request);
      const std::chrono::duration<double, std::milli> took = ServerClock::now() - begin;
      connection.in.erase(0, arrival.size);
      connection.out = bytes_of(made, arrival.request.keep, took.count());
      connection.ends = !arrival.request.keep;
    }
    connection.last = ServerClock::now();
    transmit(connection);
  }
}

[[noreturn]] void fail(int port) {
  throw os::MissingError(
      fmt::format("cannot listen on 127.0.0.1:{}: {}", port, std::strerror(errno)));
}

}  // namespace

struct Server::State {
  Socket listener;
  int port = 0;
  std::vector<Connection> connections = {};
};

Server::Server(int port) {
  Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (listener.number() < 0 || bind(listener.number(), plain, size) != 0 ||
      listen(listener.number(), SOMAXCONN) != 0 ||
      getsockname(listener.number(), plain, &size) != 0) {
    fail(port);
  }
  state_ = std::make_unique<State>(State{std::move(listener), ntohs(address.sin_port)});
}

Server::~Server() = default;

int Server::port() const {
  return state_->port;
}

void Server::run(const std::function<Answer(const Request&)>& answer,
                 const std::function<bool()>& ended) {
  constexpr int kWait = 200;  // ms
  std::vector<Connection>& connections = state_->connections;
  while (!ended()) {
    std::vector<pollfd> waiting = {{state_->listener.number(), POLLIN, 0}};
    for (const Connection& connection : connections) {
      const bool sends = !connection.out.empty();
      waiting.push_back(
          {connection.socket.number(), static_cast<short>(sends ? POLLOUT : POLLIN), 0});
    }
    if (poll(waiting.data(), waiting.size(), kWait) < 0 && errno != EINTR) {
      return;
    }
    for (std::size_t i = 0; i < connections.size(); ++i) {
      Connection& connection = connections[i];
      const int events = waiting[i + 1].revents;
      if ((events & POLLOUT) != 0) {
        transmit(connection);
      } else if (events != 0) {
        receive(connection);
      }
      if (events != 0) {
        serve(connection, answer);
      }
    }
    const auto now = ServerClock::now();
    std::erase_if(connections, [&](const Connection& connection) {
      return connection.dead || now - connection.last > kPatience;
    });
    if ((waiting.front().revents & POLLIN) != 0) {
      Socket arrived(
          accept4(state_->listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (arrived.number() >= 0 && connections.size() < kMostConnections) {
        connections.push_back({std::move(arrived)});
      }
    }
  }
}

}  // namespace epwise::explore
