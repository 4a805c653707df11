#include "calibrate/point_ratios.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace epwise::calibrate {

bool is_plain(const Point& point, Kernel kernel) {
  const Work& work = point.request.work;
  return point.has_time() && work.kernel == kernel && !point.request.beside && !(work.pace > 0);
}

void Ratios::add(double ratio) {
  const double log_ratio = std::log(ratio);
  sum += log_ratio;
  squares += log_ratio * log_ratio;
  ++count;
}

double Ratios::deviation() const {
  const double scatter = std::sqrt(std::max(squares / count - mean() * mean(), 0.0));
  return count > 1 ? scatter / std::sqrt(count - 1.0) : 0.1;
}

Ratios start_delays(const Calibration& calibration) {
  constexpr double kShortest = 1e-3;  // of the exchange: less is no wait, and has no logarithm
  Ratios all;
  for (const Point& point : calibration.points) {
    const std::string& id = point.request.id;
    const std::size_t place = id.find(".delay.k");
    if (!point.has_time() || !point.start_delay || place == std::string::npos) {
      continue;
    }
    const Point* const alone =
        calibration.point(id.substr(0, place) + ".exchange.k" + id.substr(place + 8));
    if (alone != nullptr && alone->has_time()) {
      all.add(std::max(point.start_delay->median / alone->time.median, kShortest));
    }
  }
  return all;
}

double mean_memory_share(const Calibration& calibration) {
  double best = 0;
  double sum = 0;
  int count = 0;
  for (const Point& point : calibration.points) {
    if (is_plain(point, Kernel::hbm_copy)) {
      best = std::max(best, point.memory_bytes / point.time.median);
    }
  }
  for (const Point& point : calibration.points) {
    if (point.has_time() && point.request.id.find(".exchange.k") != std::string::npos) {
      sum += point.memory_bytes / point.time.median;
      ++count;
    }
  }
  return best > 0 && count > 0 ? sum / count / best : 0.3;
}

}  // namespace epwise::calibrate
