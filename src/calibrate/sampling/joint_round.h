#pragma once

#include <string>
#include <vector>

#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// The rounds of all ranks as one: the slowest counts, trouble of any is trouble.
struct JointRound {
  Round round;
  int slowest = 0;
  double fastest = 0;
};

/// One rank's part of a round, as it goes to the others.
std::string pack_round(const Round& round);

JointRound join_rounds(const std::vector<std::string>& parts);

}  // namespace epwise::calibrate
