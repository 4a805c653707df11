#include "calibrate/ranks/socket_ranks.h"

#include <array>
#include <charconv>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibrate/ranks/wire.h"

namespace epwise::calibrate {

namespace {

constexpr std::string_view kMagic = "epwise.ranks/1";

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "unknown";
}

std::string greeting(const Launch& launch) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}",
                     kMagic,
                     launch.job,
                     launch.size,
                     launch.rank,
                     launch.local_rank,
                     host_name());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char sign : text) {
    if (sign == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += sign;
    }
  }
  return lines;
}

/// Texts concatenated: length, line feed, text.
std::string pack(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) {
    all += fmt::format("{}\n", part.size());
    all += part;
  }
  return all;
}

std::vector<std::string> unpack_parts(const std::string& all) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at < all.size()) {
    const std::size_t end = all.find('\n', at);
    std::size_t size = 0;
    if (end == std::string::npos ||
        std::from_chars(all.data() + at, all.data() + end, size).ec != std::errc() ||
        size > all.size() - end - 1) {
      throw RankLost("unexpected message from rank 0");
    }
    parts.push_back(all.substr(end + 1, size));
    at = end + 1 + size;
  }
  return parts;
}

class SocketRanks : public Ranks {
 public:
  SocketRanks(Launch launch, double timeout) : launch_(std::move(launch)), timeout_(timeout) {}

  int rank() const override { return launch_.rank; }

  int size() const override { return launch_.size; }

  int local_rank() const override { return launch_.local_rank; }

  int local_size() const override { return launch_.local_size; }

 protected:
  double deadline() const { return steady_seconds() + timeout_; }

  std::string late_text() const { return fmt::format("no answer for {:g} s", timeout_); }

  const Launch& launch() const { return launch_; }

 private:
  Launch launch_;
  double timeout_;
};

/// Rank 0, to which all others connect.
class Centre : public SocketRanks {
 public:
  Centre(const Launch& launch, double timeout) : SocketRanks(launch, timeout) {
    others_.resize(static_cast<std::size_t>(launch.size));
    std::string problem;
    const Listener listener(launch.port, problem);
    if (!problem.empty()) {
      throw RankLost(problem);
    }
    const double until = deadline();
    int missing = launch.size - 1;
    while (missing > 0) {
      Wire wire = listener.accept(until);
      if (!wire.is_open()) {
        throw RankLost(missing_text());
      }
      missing -= welcome(std::move(wire)) ? 1 : 0;
    }
  }

  std::vector<std::string> all_gather(std::string_view mine) override {
    std::vector<std::string> parts(others_.size());
    parts[0] = mine;
    const double until = deadline();
    for (std::size_t rank = 1; rank < others_.size(); ++rank) {
      Wire::Message message;
      const auto outcome = others_[rank].wire.receive(message, until);
      if (outcome != Wire::Outcome::done) {
        lose(rank, outcome == Wire::Outcome::late ? late_text() : "it ended");
      }
      parts[rank] = std::move(message.bytes);
    }
    answer(pack(parts));
    return parts;
  }

  std::string broadcast(std::string_view mine) override { return all_gather(mine).front(); }

 private:
  struct Other {
    Wire wire;
    std::string name;
  };

  /// False for a process that does not belong here.
  bool welcome(Wire wire) {
    Wire::Message hello;
    constexpr double kPatience = 5;
    if (wire.receive(hello, steady_seconds() + kPatience) != Wire::Outcome::done) {
      return false;
    }
    const std::vector<std::string> lines = lines_of(hello.bytes);
    constexpr std::size_t kLines = 6;
    const bool ours = lines.size() == kLines && lines[0] == kMagic && lines[1] == launch().job &&
                      lines[2] == std::to_string(size());
    std::size_t rank = 0;
    if (ours) {
      std::from_chars(lines[3].data(), lines[3].data() + lines[3].size(), rank);
    }
    if (rank == 0 || rank >= others_.size() || others_[rank].wire.is_open()) {
      wire.send(
          Wire::Kind::lost, "it does not belong to this launch", steady_seconds() + kPatience);
      return false;
    }
    others_[rank] = {std::move(wire),
                     fmt::format("rank {} (host {}, local rank {})", rank, lines[5], lines[4])};
    return true;
  }

  std::string missing_text() const {
    std::vector<std::string> missing;
    constexpr std::size_t kMost = 8;
    for (std::size_t rank = 1; rank < others_.size() && missing.size() < kMost; ++rank) {
      if (!others_[rank].wire.is_open()) {
        missing.push_back(std::to_string(rank));
      }
    }
    return fmt::format("rank {} did not connect before the time-out", fmt::join(missing, ", "));
  }

  [[noreturn]] void lose(std::size_t rank, const std::string& how) {
    const std::string text = fmt::format("{}: {}", others_[rank].name, how);
    constexpr double kPatience = 1;
    for (std::size_t other = 1; other < others_.size(); ++other) {
      if (other != rank) {
        others_[other].wire.send(Wire::Kind::lost, text, steady_seconds() + kPatience);
      }
    }
    throw RankLost(text);
  }

  void answer(const std::string& all) {
    const double until = deadline();
    for (std::size_t rank = 1; rank < others_.size(); ++rank) {
      const auto outcome = others_[rank].wire.send(Wire::Kind::data, all, until);
      if (outcome != Wire::Outcome::done) {
        lose(rank, outcome == Wire::Outcome::late ? late_text() : "it ended");
      }
    }
  }

  std::vector<Other> others_;  // by rank; the first is unused
};

class Spoke : public SocketRanks {
 public:
  Spoke(const Launch& launch, double timeout) : SocketRanks(launch, timeout) {
    const std::string address = launch.address.empty() ? "127.0.0.1" : launch.address;
    std::string problem;
    wire_ = connect_to(address, launch.port, deadline(), problem);
    if (!wire_.is_open()) {
      throw RankLost(
          fmt::format("cannot reach rank 0 at {}:{}: {}", address, launch.port, problem));
    }
    wire_.send(Wire::Kind::data, greeting(launch), deadline());
  }

  std::vector<std::string> all_gather(std::string_view mine) override {
    // Rank 0 may wait its full time-out for a third rank before it can answer.
    constexpr double kLonger = 2;
    const double begin = steady_seconds();
    const double until = begin + kLonger * (deadline() - begin);
    Wire::Message message;
    Wire::Outcome outcome = wire_.send(Wire::Kind::data, mine, until);
    if (outcome != Wire::Outcome::late) {
      // a message that it sent before ending may still be readable
      outcome = wire_.receive(message, until);
    }
    if (outcome != Wire::Outcome::done) {
      throw RankLost(outcome == Wire::Outcome::late ? "rank 0: " + late_text() : "rank 0 ended");
    }
    if (message.kind == Wire::Kind::lost) {
      throw RankLost(message.bytes);
    }
    std::vector<std::string> parts = unpack_parts(message.bytes);
    if (parts.size() != static_cast<std::size_t>(size())) {
      throw RankLost("unexpected message from rank 0");
    }
    return parts;
  }

  std::string broadcast(std::string_view mine) override { return all_gather(mine).front(); }

 private:
  Wire wire_;
};

}  // namespace

std::unique_ptr<Ranks> join_ranks(const Launch& launch, double timeout) {
  if (launch.size == 1) {
    return std::make_unique<OneRank>();
  }
  if (launch.rank == 0) {
    return std::make_unique<Centre>(launch, timeout);
  }
  return std::make_unique<Spoke>(launch, timeout);
}

}  // namespace epwise::calibrate
