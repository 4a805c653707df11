#include "calibrate/quantities.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "calibrate/file/calibration.h"
#include "calibrate/work/law_time.h"

/// Comparisons between measured points.

namespace epwise::calibrate {

/// Whether it is the time of this kernel running alone at full rate.
bool is_plain(const Point& point, Kernel kernel);

/// Mean of logarithms and its uncertainty.
struct Ratios {
  double sum = 0;
  double squares = 0;
  int count = 0;

  void add(double ratio);

  double mean() const { return sum / count; }

  /// Of the mean; with few shapes, the full scatter counts.
  double deviation() const;
};

/// For an exchange that starts while compute occupies the SMs: waiting time divided by its time
/// alone.
Ratios start_delays(const Calibration& calibration);

/// For exchanges concurrent with compute: their rate divided by the memory rate; 0.3 if unknown.
double mean_memory_share(const Calibration& calibration);

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
  // of the exchange: anything less is not a wait, and has no logarithm
  constexpr double kShortest = 1e-3;
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

namespace {

/// Residual uncertainty despite measurement: our kernels instead of a framework's, one machine for
/// many.
constexpr double kKernelDoubt = 0.03;
constexpr double kImitationDoubt = 0.1;  // our exchange kernels instead of DeepEP's
constexpr double kHostDoubt = 0.1;
constexpr double kOperationDoubt = 0.15;  // small linear layers instead of all framework operations
constexpr double kContentionDoubt = 0.08;

using Filter = std::function<bool(const Point&)>;

class Teller {
 public:
  Teller(const Calibration& calibration, const cost::Table& laws, std::string_view hw)
      : calibration_(calibration),
        laws_(laws),
        chip_(laws.find_chip(hw)) {}

  std::vector<Quantity> tell(std::string_view hw) {
    add_host();
    const std::string mismatch = device_mismatch(calibration_, hw);
    if (!mismatch.empty() || chip_ == nullptr) {
      refuse_device(mismatch.empty() ? fmt::format("no cost laws for {}", hw) : mismatch);
    } else {
      add_contention();
      add_exchange();
      add_compute();
      add_launches();
    }
    add_step_constants();
    return std::move(quantities_);
  }

 private:
  void refuse_device(const std::string& why) {
    for (const char* name : {"overlap_exchange",
                             "overlap_sms",
                             "overlap_loss",
                             "flex_nvlink",
                             "flex_nic",
                             "alltoall_nvlink",
                             "alltoall_nic",
                             "tensor_parallel",
                             "grouped_gemm",
                             "memory_kernels"}) {
      refuse(name, why);
    }
  }

  void refuse(std::string constant, std::string why) {
    quantities_.push_back({std::move(constant), false, 0, 0, std::move(why), 0});
  }

  void tell_value(
      std::string constant, double value, double log_sd, std::string basis, int points) {
    quantities_.push_back({std::move(constant), true, value, log_sd, std::move(basis), points});
  }

  /// The first point of a kernel with a time, or why there is none.
  const Point* find(Kernel kernel, std::string& why) const {
    why = "not in the plan";
    for (const Point& point : calibration_.points) {
      if (is_plain(point, kernel)) {
        return &point;
      }
      if (point.request.work.kernel == kernel && !point.request.beside) {
        why = point.reason;
      }
    }
    return nullptr;
  }

  void add_point(std::string constant, Kernel kernel, double doubt) {
    std::string why;
    if (const Point* const point = find(kernel, why)) {
      tell_value(std::move(constant),
                 point->time.median,
                 std::hypot(doubt, point->time.relative_sd()),
                 point->request.id,
                 1);
    } else {
      refuse(std::move(constant), why);
    }
  }

  void add_host() {
    const std::string name = calibration_.host == "grace" ? "host_arm" : "host_x86";
    add_point(name, Kernel::host_operation, kOperationDoubt);
  }

  void add_contention() {
    const Fit* const fit = calibration_.fit("contention");
    if (fit == nullptr) {
      for (const char* name : {"overlap_exchange", "overlap_sms", "overlap_loss"}) {
        refuse(name, "too few concurrent pairs of compute and exchange were measured");
      }
      return;
    }
    const int points = fit->residual.points;
    const auto tell_parameter = [&](const char* constant, const char* parameter, double scale) {
      tell_value(constant,
                 std::max(fit->value(parameter) * scale, 1e-3),
                 std::min(std::hypot(kContentionDoubt, fit->relative_sd(parameter)), 0.5),
                 fmt::format("contention.{}", parameter),
                 points);
    };
    tell_overlapped_exchange(*fit);
    tell_parameter("overlap_sms", "sm_weight", 1);
    tell_parameter("overlap_loss", "memory_weight", mean_memory_share(calibration_));
  }

  /// The step model's time of an exchange concurrent with compute includes its wait for SMs, which
  /// the pairs exclude.
  void tell_overlapped_exchange(const Fit& fit) {
    const Ratios waits = start_delays(calibration_);
    const double waiting = waits.count > 0 ? std::exp(waits.mean()) : 0;
    const double slowdown = fit.value("exchange_slowdown");
    const double all = std::max(slowdown + waiting, 1e-3);
    const double sd = std::hypot(slowdown * fit.relative_sd("exchange_slowdown"),
                                 waits.count > 0 ? waiting * waits.deviation() : 0) /
                      all;
    tell_value("overlap_exchange",
               all,
               std::min(std::hypot(kContentionDoubt, sd), 0.5),
               waits.count > 0
                   ? fmt::format("contention.exchange_slowdown, and {:.2g} for the wait "
                                 "for SMs",
                                 waiting)
                   : "contention.exchange_slowdown",
               fit.residual.points + waits.count);
  }

  std::optional<Ratios> ratios(const Filter& filter) const {
    Ratios all;
    for (const Point& point : calibration_.points) {
      const auto law = point.has_time() && !point.request.beside && filter(point)
                           ? law_time(laws_, *chip_, point.request.work)
                           : std::nullopt;
      if (law && *law > 0) {
        all.add(point.time.median / *law);
      }
    }
    return all.count > 0 ? std::optional<Ratios>(all) : std::nullopt;
  }

  void add_ratio(std::string constant,
                 const Filter& filter,
                 double doubt,
                 double divisor,
                 const std::string& basis,
                 const std::string& why_not) {
    if (const auto found = ratios(filter)) {
      tell_value(std::move(constant),
                 std::exp(found->mean()) / divisor,
                 std::hypot(doubt, found->deviation()),
                 basis,
                 found->count);
    } else {
      refuse(std::move(constant), why_not);
    }
  }

  void add_exchange() {
    for (const Scope scope : {Scope::domain, Scope::nodes}) {
      const bool inside = scope == Scope::domain;
      const std::string why = inside ? "no exchange between GPUs of one NVLink domain was measured"
                                     : "no exchange across NVLink domains was measured";
      const auto flexible = [&](bool imported) {
        return [scope, imported](const Point& point) {
          const Kernel kernel = point.request.work.kernel;
          return (kernel == Kernel::dispatch || kernel == Kernel::combine) &&
                 point.request.scope == scope &&
                 (point.status == PointStatus::imported) == imported;
        };
      };
      // the real library takes precedence
      const bool imported = ratios(flexible(true)).has_value();
      add_ratio(inside ? "flex_nvlink" : "flex_nic",
                flexible(imported),
                imported ? kKernelDoubt : kImitationDoubt,
                1,
                imported ? "imported dispatch and combine" : "dispatch and combine between GPUs",
                why);
      add_ratio(
          inside ? "alltoall_nvlink" : "alltoall_nic",
          [scope](const Point& point) {
            return point.request.work.kernel == Kernel::all_to_all && point.request.scope == scope;
          },
          kKernelDoubt,
          1,
          "NCCL all-to-all",
          inside ? "no all-to-all inside one NVLink domain was measured"
                 : "no all-to-all across NVLink domains was measured");
    }
    add_ratio(
        "tensor_parallel",
        [](const Point& point) {
          const Kernel kernel = point.request.work.kernel;
          return (kernel == Kernel::all_gather || kernel == Kernel::reduce_scatter) &&
                 point.request.scope == Scope::domain;
        },
        kKernelDoubt,
        1,
        "NCCL all-gather and reduce-scatter",
        "no all-gather between GPUs was measured");
  }

  void add_compute() {
    const bool blackwell = chip_->architecture == cost::Architecture::blackwell;
    const auto dense = [](cost::Format format) {
      return [format](const Point& point) {
        const Work& work = point.request.work;
        return work.kernel == Kernel::gemm && work.sms == 0 && work.format == format;
      };
    };
    add_ratio(blackwell ? "gemm_blackwell" : "gemm_hopper",
              dense(cost::Format::bf16),
              kKernelDoubt,
              1,
              "dense GEMMs in bf16",
              "no dense GEMM was measured");
    const auto bf16 = ratios(dense(cost::Format::bf16));
    const double factor = bf16 ? std::exp(bf16->mean()) : 1;
    // Imported 8-bit GEMMs may include quantisation, which the step model counts separately.
    add_ratio(
        blackwell ? "fp8_blackwell" : "fp8_hopper",
        [bare = dense(cost::Format::fp8)](const Point& point) {
          return point.status == PointStatus::measured && bare(point);
        },
        kKernelDoubt,
        factor,
        "dense GEMMs in fp8",
        "no GEMM in fp8 was measured");
    add_ratio(
        "grouped_gemm",
        [](const Point& point) {
          return point.request.work.kernel == Kernel::grouped_gemm && point.request.work.sms == 0;
        },
        kKernelDoubt,
        factor,
        "grouped GEMMs",
        "no grouped GEMM was measured");
    add_ratio(
        "memory_kernels",
        [](const Point& point) {
          const Kernel kernel = point.request.work.kernel;
          return kernel == Kernel::permute || kernel == Kernel::unpermute ||
                 kernel == Kernel::swiglu;
        },
        kKernelDoubt,
        1,
        "permute, unpermute and SwiGLU",
        "no memory-bound kernel was measured");
  }

  void add_launches() {
    add_point("kernel_launch", Kernel::launch, kHostDoubt);
    add_point("host_sync", Kernel::host_sync, kHostDoubt);
    std::string why;
    const Point* const eager = find(Kernel::launch, why);
    const Point* const graph = find(Kernel::graph_launch, why);
    if (eager == nullptr || graph == nullptr) {
      refuse("graph_launch", why);
      return;
    }
    tell_value("graph_launch",
               graph->time.median / eager->time.median,
               std::hypot(kHostDoubt, graph->time.relative_sd()),
               "host.graph_launch over host.launch",
               2);
  }

  /// Step times are most reliable: they replace kernel measurements.
  void add_step_constants() {
    for (const StepConstant& constant : calibration_.constants) {
      quantities_.erase(std::remove_if(quantities_.begin(),
                                       quantities_.end(),
                                       [&constant](const Quantity& quantity) {
                                         return quantity.constant == constant.name;
                                       }),
                        quantities_.end());
      tell_value(constant.name, constant.value, constant.log_sd, constant.basis, 0);
    }
  }

  const Calibration& calibration_;
  const cost::Table& laws_;
  const cost::Chip* chip_ = nullptr;
  std::vector<Quantity> quantities_;
};

}  // namespace

std::vector<Quantity> quantities_of(const Calibration& calibration,
                                    const cost::Table& laws,
                                    std::string_view hw) {
  return Teller(calibration, laws, hw).tell(hw);
}

std::string device_mismatch(const Calibration& calibration, std::string_view hw) {
  if (calibration.subject.reduced) {
    return fmt::format("measured on {} with reduced sizes", calibration.environment.device.name);
  }
  if (calibration.hw == hw) {
    return {};
  }
  return fmt::format("measured on {}, not on {}",
                     calibration.hw.empty() ? calibration.environment.device.name : calibration.hw,
                     hw);
}

}  // namespace epwise::calibrate
