#include "calibrate/sm_counts.h"

#include <algorithm>

namespace epwise::calibrate {

namespace {

constexpr int kFewSms = 64;  // below that, counts go by shares of the device

}  // namespace

std::vector<int> SmCounts::of_exchange(int stated) const {
  std::vector<int> all;
  if (device < kFewSms) {
    for (const int share : {8, 4, 2}) {
      all.push_back(std::max(device / share, 1));
    }
    all.push_back(std::max(device * 3 / 4, 1));
  } else if (quick) {
    all = {4, 8, 16, 24, 32, 48};
  } else {
    all = {2, 4, 8, 12, 16, 20, 24, 32, 48, 64};
  }
  if (stated > 0 && stated < device) {
    all.push_back(stated);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<int> SmCounts::beside() const {
  if (device < kFewSms) {
    std::vector<int> all = {std::max(device / 4, 1), std::max(device / 2, 1)};
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  return quick ? std::vector<int>{8, 16, 24, 32} : std::vector<int>{4, 8, 12, 16, 20, 24, 32, 48};
}

std::vector<int> SmCounts::of_delay() const {
  const std::vector<int> all = beside();
  return quick ? std::vector<int>{all[all.size() / 2]} : all;
}

std::vector<int> SmCounts::left() const {
  std::vector<int> counts = {device};
  const std::vector<int> taken = device < kFewSms ? std::vector<int>{device / 4, device / 2}
                                 : quick          ? std::vector<int>{16, 32}
                                                  : std::vector<int>{4, 8, 16, 24, 32, 48};
  for (const int k : taken) {
    if (k > 0 && k < device) {
      counts.push_back(device - k);
    }
  }
  return counts;
}

}  // namespace epwise::calibrate
