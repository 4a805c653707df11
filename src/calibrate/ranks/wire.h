#pragma once

#include <string>
#include <string_view>

namespace epwise::calibrate {

/// A TCP connection that carries messages: kind, length, bytes. Every operation ends by its
/// deadline.
class Wire {
 public:
  enum class Kind : unsigned char {
    data = 1,
    lost = 2
  };  // lost: the peer is gone; the text names it

  struct Message {
    Kind kind = Kind::data;
    std::string bytes;
  };

  enum class Outcome : unsigned char { done, closed, late };

  explicit Wire(int socket = -1) : socket_(socket) {}

  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&& other) noexcept;
  ~Wire();

  bool is_open() const { return socket_ >= 0; }

  /// `deadline` in terms of steady_seconds.
  Outcome send(Kind kind, std::string_view bytes, double deadline);
  Outcome receive(Message& message, double deadline);

 private:
  Outcome wait(short events, double deadline) const;
  Outcome read_all(char* to, std::size_t size, double deadline) const;

  int socket_ = -1;
};

double steady_seconds();

/// A socket that listens on all addresses; an invalid wire and a reason if the port is in use.
class Listener {
 public:
  Listener(int port, std::string& problem);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  /// The next connection; a closed wire if there is none by the deadline.
  Wire accept(double deadline) const;

 private:
  int socket_ = -1;
};

/// Retries until the deadline: the other side may not listen yet.
Wire connect_to(const std::string& address, int port, double deadline, std::string& problem);

}  // namespace epwise::calibrate
