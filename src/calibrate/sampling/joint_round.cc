#include "calibrate/sampling/joint_round.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace epwise::calibrate {

namespace {

Round unpack(const std::string& text) {
  Round round;
  const char* at = text.c_str();
  const auto next = [&at] {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    at = end;
    return value;
  };
  round.seconds = next();
  round.beside_seconds = next();
  const double delay = next();
  if (delay >= 0) {
    round.start_delay = delay;
  }
  round.state.clock_mhz = next();
  round.state.power_w = next();
  round.state.power_capped = next() > 0;
  round.state.throttled = next() > 0;
  round.fatal = next() > 0;
  round.failure = *at == ' ' ? at + 1 : at;
  return round;
}

}  // namespace

std::string pack_round(const Round& round) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.9g} {:.9g} {} {} {} {}",
                     round.seconds,
                     round.beside_seconds,
                     round.start_delay.value_or(-1),
                     round.state.clock_mhz,
                     round.state.power_w,
                     round.state.power_capped ? 1 : 0,
                     round.state.throttled ? 1 : 0,
                     round.fatal ? 1 : 0,
                     round.failure);
}

JointRound join_rounds(const std::vector<std::string>& parts) {
  JointRound joint;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const Round part = unpack(parts[rank]);
    if (rank == 0) {
      joint.round = part;
      joint.fastest = part.seconds;
      continue;
    }
    Round& all = joint.round;
    if (part.seconds > all.seconds) {
      joint.slowest = static_cast<int>(rank);
    }
    joint.fastest = std::min(joint.fastest, part.seconds);
    all.seconds = std::max(all.seconds, part.seconds);
    all.beside_seconds = std::max(all.beside_seconds, part.beside_seconds);
    if (part.start_delay) {
      all.start_delay = std::max(all.start_delay.value_or(0), *part.start_delay);
    }
    all.state.clock_mhz = std::min(all.state.clock_mhz, part.state.clock_mhz);
    all.state.power_w = std::max(all.state.power_w, part.state.power_w);
    all.state.power_capped = all.state.power_capped || part.state.power_capped;
    all.state.throttled = all.state.throttled || part.state.throttled;
    all.fatal = all.fatal || part.fatal;
    if (all.failure.empty() && !part.failure.empty()) {
      all.failure = fmt::format("rank {}: {}", rank, part.failure);
    }
  }
  return joint;
}

}  // namespace epwise::calibrate
