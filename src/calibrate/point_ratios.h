#pragma once

#include "calibrate/file/calibration.h"

/// Measured points held against each other.
namespace epwise::calibrate {

/// Whether it is a time of this kernel with nothing beside it, at full pace.
bool is_plain(const Point& point, Kernel kernel);

/// Mean of logarithms and what it is worth.
struct Ratios {
  double sum = 0;
  double squares = 0;
  int count = 0;

  void add(double ratio);

  double mean() const { return sum / count; }

  /// Of the mean; the scatter counts in full where there are few shapes.
  double deviation() const;
};

/// Of an exchange that comes while compute holds the SMs: its wait over its time alone.
Ratios start_delays(const Calibration& calibration);

/// Of the exchanges that ran beside compute: their rate over the memory's; 0.3 where it is not
/// known.
double mean_memory_share(const Calibration& calibration);

}  // namespace epwise::calibrate
