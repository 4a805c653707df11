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

/// The device of a backend. Unknown values stay 0 or empty.
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
  double busy = 0;  // share of the last second before the run in which other processes used it
};

/// The machine and its versions: read once, at the start.
struct Environment {
  Device device;
  /// "driver", "cuda_driver", "cudart", "cublas", "cublaslt", "nccl", "kernels" → version.
  std::map<std::string, std::string> software;
  /// Which ranks can access each other's memory: indices of the ranks in this rank's domain.
  std::vector<int> domain;
  double timer_tick = 0;  // s
};

/// The state of the device during a round.
struct State {
  double clock_mhz = 0;
  double power_w = 0;
  double temperature_c = 0;
  bool power_capped = false;  // software power cap: normal under GEMMs, kept and tagged
  bool throttled = false;     // thermal or hardware slow-down, power brake: the round is discarded
};

/// One repetition. `seconds` is the time of one run of the work: short kernels run several times
/// between two events and the time is divided. With several ranks each reports its own; the caller
/// takes the slowest.
struct Round {
  double seconds = 0;
  double beside_seconds = 0;  // time of one run of Request::beside; 0: it does not end by itself
  std::optional<double> start_delay;  // of the work next to `beside`: release to first block, s
  State state = {};
  std::string failure = {};  // why there is no time; the point ends as not measured
  bool fatal = false;        // the device is lost: no further point can be measured
};

/// Whether the result matches the reference on the CPU.
struct Check {
  enum class Result : std::uint8_t { passed, failed, not_checked };
  Result result = Result::not_checked;
  std::string kind;      // "bitwise", "sorted rows", "relative norm"
  double error = 0;      // found
  double tolerance = 0;  // allowed; 0: bit-exact
  std::string what;      // the first wrong location, or why nothing was checked
};

/// One point whose inputs exist and that has run and been checked once: ready to be timed.
class Measurement {
 public:
  virtual ~Measurement() = default;

  virtual const Check& check() const = 0;

  /// Bytes moved by one run: through memory, and as payload of an exchange or collective (all
  /// copies, including the local share). 0: none, or unknown.
  virtual double memory_bytes() const = 0;
  virtual double payload_bytes() const = 0;

  /// Runs it once, flushing input caches as the backend does. Warm-up is the caller's
  /// responsibility: it discards the first rounds. Blocks no longer than the backend's time-out.
  virtual Round round() = 0;
};

/// A point that can be timed, or why not. A wrong result is not a reason: it is returned as a
/// measurement with a failed check, and the caller does not time it.
struct Prepared {
  std::unique_ptr<Measurement> measurement;  // null pointer: see `reason`
  std::string reason;  // "one GPU: no peers", "cuBLAS is not installed", "needs 93 GB, 60 GB free"
  bool fatal = false;  // the device is lost
};

/// Runs points. The measurements of one sweep coexist (rounds visit all of them, so that clock
/// drift is not mistaken for a trend); the backend shares buffers among them where possible, and
/// all measurements must be destroyed before the backend. With several ranks, all make the same
/// calls in the same order.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;  // "cuda", "cpu", "replay"
  virtual const Environment& environment() const = 0;
  virtual Prepared prepare(const Request& request) = 0;

  /// Releases buffers that no measurement uses: call between two sweeps.
  virtual void trim() = 0;
};

/// Options for opening a backend.
struct BackendSettings {
  double timeout = 60;        // s, of any one call
  double memory_share = 0.4;  // of the free memory that it may use
  double preheat = 0;         // s of work before timing starts, so that clocks settle
  bool quick = false;
};

/// A backend, or why there is none.
struct OpenedBackend {
  std::unique_ptr<Backend> backend;
  std::string reason;  // "no GPU: the driver's library libcuda.so.1 is not installed"
};

/// The GPU of this rank (number Ranks::local_rank among the visible ones). src/gpu/cuda/ defines
/// it; a build without nvcc has no device code, and the reason states that. `ranks` outlives the
/// backend.
OpenedBackend open_cuda_backend(Ranks& ranks, const BackendSettings& settings);

}  // namespace epwise::calibrate
