#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/ranks/ranks.h"
#include "calibrate/work/work.h"

namespace epwise::calibrate {

/// The device that a backend runs on. What it doesn't know stays 0 or empty.
struct Device {
  std::string name;                // "NVIDIA H200"
  std::string compute_capability;  // "9.0"
  int sms = 0;
  double l2_bytes = 0;
  double memory_bytes = 0;
  double free_bytes = 0;  // of it, at the start
  double clock_mhz = 0;   // the highest
  double power_limit_w = 0;
  bool mig = false;
  double busy = 0;  // share of the last second in which somebody computed on it, before we did
};

/// Where and with what numbers are taken: read once, at the start.
struct Environment {
  Device device;
  /// "driver", "cuda_driver", "cudart", "cublas", "cublaslt", "nccl", "kernels" → version.
  std::map<std::string, std::string> software;
  /// Whether ranks reach each other's memory: indices of the ranks of this rank's domain.
  std::vector<int> domain;
  double timer_tick = 0;  // s
};

/// The state of the device around a round.
struct State {
  double clock_mhz = 0;
  double power_w = 0;
  double temperature_c = 0;
  bool power_capped = false;  // by software: normal under GEMMs, kept and tagged
  bool throttled = false;     // thermal or hardware slow-down, power brake: the round is discarded
};

/// One repetition. `seconds` is of one run of the work: short kernels run several times between two
/// events and are divided. Of several ranks each tells its own; the caller takes the slowest.
struct Round {
  double seconds = 0;
  double beside_seconds = 0;          // of one run of Request::beside; 0: it has no end of its own
  std::optional<double> start_delay;  // of the work behind `beside`: release to first block, s
  State state = {};
  std::string failure = {};  // why there is no time; the point ends as not measured
  bool fatal = false;        // the device is lost: no further point can be measured
};

/// Was the result right, against the reference on the CPU?
struct Check {
  enum class Result : std::uint8_t { passed, failed, not_checked };
  Result result = Result::not_checked;
  std::string kind;      // "bitwise", "sorted rows", "relative norm"
  double error = 0;      // found
  double tolerance = 0;  // allowed; 0: bit-exact
  std::string what;      // the first wrong place, or why nothing was checked
};

/// One point with inputs made, run once and checked: ready to be timed.
class Measurement {
 public:
  virtual ~Measurement() = default;

  virtual const Check& check() const = 0;

  /// Bytes that one run moves: through memory, and as the payload of an exchange or collective (all
  /// copies, the local share included). 0: none, or not known.
  virtual double memory_bytes() const = 0;
  virtual double payload_bytes() const = 0;

  /// Runs it once more, input caches flushed as the backend does it. Warm-up is the caller's: it
  /// throws the first rounds away. Blocks no longer than the backend's time-out.
  virtual Round round() = 0;
};

/// A point that can be timed, or why not. A wrong result is no reason: it comes as a measurement
/// whose check failed, and the caller doesn't time it.
struct Prepared {
  std::unique_ptr<Measurement> measurement;  // null pointer: see `reason`
  std::string reason;  // "one GPU: no peers", "cuBLAS is not installed", "needs 93 GB, 60 GB free"
  bool fatal = false;  // the device is lost
};

/// Runs points. The measurements of one sweep live side by side (rounds go around them, so that a
/// drift of the clock isn't taken for a trend); the backend shares buffers among them where it can,
/// and every measurement is gone before the backend is. On several ranks all make the same calls in
/// the same order.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;  // "cuda", "cpu", "replay"
  virtual const Environment& environment() const = 0;
  virtual Prepared prepare(const Request& request) = 0;

  /// Lets go of buffers that no measurement uses: between two sweeps.
  virtual void trim() = 0;
};

/// What a backend is opened with.
struct BackendSettings {
  double timeout = 60;        // s, of any one call
  double memory_share = 0.4;  // of the free memory that it may take
  double preheat = 0;         // s of work before anything is timed, so that clocks have settled
  bool quick = false;
};

/// A backend, or why there is none.
struct OpenedBackend {
  std::unique_ptr<Backend> backend;
  std::string reason;  // "no GPU: the driver's library libcuda.so.1 is not here"
};

/// The GPU of this rank (number Ranks::local_rank among the visible ones). src/cuda/ defines it; a
/// build without nvcc has no device code, and the reason says so. `ranks` outlives the backend.
OpenedBackend open_cuda_backend(Ranks& ranks, const BackendSettings& settings);

}  // namespace epwise::calibrate
