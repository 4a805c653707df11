#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::cost {

/// How far a law's answer is from what was measured, best first.
enum class Status : std::uint8_t {
  fitted,        // rows of this chip, inside their range
  interpolated,  // the same architecture, another format or shape
  extrapolated,  // outside the range
  prior          // scaled from a neighbour, or assumed
};

/// What a set of parameters rests on.
struct Basis {
  std::string name;  // "gemm h100 bf16 torch"
  std::string source;
  std::string date;  // "2026-11"
  Status status = Status::prior;
  double relative_sd = 0;                // of the time; two of them hold 95 % of the rows
  std::string rows;                      // how many rows, where, and how well they are met
  std::vector<std::string> measured_on;  // chips with rows of their own
  std::vector<std::string> carried_to;   // chips close enough to interpolate

  bool is_measured_on(std::string_view chip) const;
  bool is_carried_to(std::string_view chip) const;
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// The duration of one kernel or collective. The uncertainty is of the law, not of one call: it is
/// the same for every layer, so it must not be averaged down over calls.
struct Cost {
  double seconds = 0;
  double relative_sd = 0;  // 0 where nothing runs
  Status status = Status::prior;
  const Basis* basis = nullptr;  // lives in the table; null pointer: nothing runs

  /// Holds the true time with 80 %, log-normal: 100 us with relative_sd 0.1 → 88.0 to 113.6 us.
  Interval interval() const;
};

/// The one that knows less.
Status worse(Status a, Status b);

std::string_view to_string(Status status);

/// What the word says, for people: "rows of this chip, inside their range".
std::string_view meaning_of(Status status);

}  // namespace epwise::cost
