#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"
#include "calibrate/work/backend.h"
#include "calibrate/work/work.h"
#include "perf/sim/prediction/likeness.h"

/// A calibration: what was measured on which machine, and the laws fitted to it. Stored in the file
/// `epwise.calibration/1`.

namespace epwise::calibrate {

inline constexpr std::string_view kSchema = "epwise.calibration/1";

/// Repetitions of one point, s.
struct Timing {
  double median = 0;
  double low = 0;  // with high: contains the true median with 95 % probability, by order statistics
  double high = 0;
  double p10 = 0;
  double p90 = 0;
  double least = 0;
  double spread = 0;  // of one repetition, relative, robust (median absolute deviation)
  int rounds = 0;
  int discarded = 0;  // thermal or hardware throttling
  int outliers = 0;   // far from the median, but kept

  bool operator==(const Timing&) const = default;

  /// Standard deviation of the median, relative.
  double relative_sd() const;
};

enum class PointStatus : std::uint8_t { measured, imported, assumed, not_measured };

struct Point {
  Request request;
  PointStatus status = PointStatus::not_measured;
  std::string reason;  // not measured: the reason; imported, assumed: the source
  Timing time;
  std::optional<Timing> beside_time;
  std::optional<Timing> start_delay;
  double memory_bytes = 0;
  double payload_bytes = 0;
  double clock_mhz = 0;            // median
  double power_w = 0;              // median, of the rank with the highest power draw
  std::vector<std::string> flags;  // "drift", "noisy", "power_capped", "throttled", "skew"
  Check check;
  int slowest_rank = -1;  // with several ranks: the one that was slowest most often
  double skew = 0;        // slowest over fastest rank, less 1

  bool has_time() const { return status != PointStatus::not_measured; }
};

struct Span {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }

  bool operator==(const Span&) const = default;
};

/// The residual of a fitted law.
struct Residual {
  double rms = 0;      // relative
  double largest = 0;  // relative
  std::string worst;   // point
  int points = 0;
  int degrees = 1;  // degrees of freedom for the scale of the covariance
};

/// A law with its parameters; laws.h defines the forms.
struct Fit {
  std::string id;    // "dispatch.direct.bf16.h7168.r8"
  std::string form;  // "message_line", "sm_curve", "sm_table", "contention", "gemm_surface"
  std::vector<std::string> names;  // "alpha_us", "rate_gbs"
  std::vector<double> values;      // in the units given by the names
  // relative: divided by the product of both parameters
  std::vector<std::vector<double>> covariance;
  std::map<std::string, Span> range;  // range of validity: "sms", "bytes"
  Residual residual;
  std::vector<std::string> flags;  // "plateau_not_reached", "poor"

  /// 0 for an unknown name.
  double value(std::string_view name) const;
  double relative_sd(std::string_view name) const;
  /// value (1 ± t sd), with Student's t for the degrees of the residual: a 95 % interval.
  Span interval(std::string_view name) const;
  bool has_flag(std::string_view flag) const;
};

/// A constant of the step model refitted to step times (`epwise calibrate fit-steps`).
struct StepConstant {
  std::string name;   // "host_x86"
  double value = 0;   // base units
  double log_sd = 0;  // of its logarithm
  std::string basis;  // "5 measured steps"
};

/// A measured step: what the refitted constants leave of its deviation from the prediction.
struct StepRun {
  std::string recipe;
  sim::LearntRun learnt;
  double seconds = 0;  // measured
};

/// The recipe sizes from which points were generated.
struct Subject {
  Shape shape;  // tokens, hidden, inter, experts, topk, ranks (expert-parallel)
  std::int64_t attention_n = 0;
  std::int64_t attention_k = 0;
  cost::Format format = cost::Format::bf16;
  int sms = 0;           // of an exchange
  bool reduced = false;  // reduced for a slow backend
};

struct Calibration {
  std::string created;  // "2026-11-22T11:15:00Z"
  std::string tool;     // "0.1.0"
  std::string backend;  // "cuda", "cpu", "replay", "import"
  std::string hw;       // profile of the device: "h200"; empty: no matching profile
  std::string host;     // "x86" or "grace"
  int ranks = 1;
  int domain = 1;    // ranks of one NVLink domain
  std::string mode;  // "quick", "full"
  std::uint64_t seed = 1;
  std::int64_t planned = 0;  // points of the run, measured or not yet; 0: not stated
  Environment environment;
  Subject subject;
  std::vector<Point> points;
  std::vector<Fit> fits;
  std::vector<StepConstant> constants;
  std::vector<StepRun> runs;
  std::vector<std::string> warnings;

  const Point* point(std::string_view id) const;
  const Fit* fit(std::string_view id) const;

  /// Points that a run came to: measured, or not measured with a reason. Not the imported ones.
  std::int64_t reached() const;
  /// Points of the plan that the run, which was killed or is still going on, has not come to.
  std::int64_t unreached() const;
};

/// YAML → calibration; nullopt and all problems with their locations for a file that is damaged,
/// from a newer version or not a calibration:
///   h200.yaml:31:13: `median` is outside `low` and `high`
std::optional<Calibration> read_calibration(const text::SourceFile& file,
                                            std::vector<text::Diagnostic>& problems);

/// And back; equal calibrations give equal text.
std::string to_yaml(const Calibration& calibration);

std::string_view to_string(PointStatus status);
std::string_view to_string(Check::Result result);
std::string_view format_word(cost::Format format);

}  // namespace epwise::calibrate
