#pragma once

#include <functional>
#include <memory>
#include <string>

#include "commands/explore/http.h"

namespace epwise::explore {

/// A server on 127.0.0.1, for one page: the only user of sockets. One thread answers one request
/// after another; connections that are slow, idle or too many are closed.
class Server {
 public:
  /// `port` 0: any that is free. Throws os::MissingError if it cannot listen there.
  explicit Server(int port);

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  int port() const;

  /// Until `ended` returns true, which is asked several times a second.
  void run(const std::function<Answer(const Request&)>& answer, const std::function<bool()>& ended);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace epwise::explore
