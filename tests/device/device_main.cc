// Every kernel of calibration once on a real GPU, checked and timed: the first thing to run on a
// new machine. Exit 77 without a GPU (skipped), 1 when a check or a round fails.
//   device_kernels           small sizes that divide nothing: does it compute the right thing?
//   device_kernels --large   sizes of DeepSeek-V3: copy, products and exchanges at their rates
//   device_kernels --check   small sizes, checked and not timed: for compute-sanitizer, which may
//   let
//                            no launch return before its kernel ends, so that gates would wait in
//                            vain

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibrate/work/backend.h"

namespace epwise {

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Request;
using calibrate::Stage;
using calibrate::Structure;
using calibrate::Work;

struct Point {
  std::string name;
  Work work;
  std::optional<Work> beside = std::nullopt;
};

calibrate::Shape shape_of(bool large) {
  calibrate::Shape shape;
  shape.bytes = large ? 1073741824.0 : 1000000.0;
  shape.tokens = large ? 4096 : 333;
  shape.topk = large ? 8 : 3;
  shape.experts = large ? 256 : 24;
  shape.hidden = large ? 7168 : 520;
  shape.inter = large ? 2048 : 200;
  shape.ranks = 8;
  shape.m = large ? 8192 : 160;
  shape.n = large ? 8192 : 272;
  shape.k = large ? 8192 : 336;
  return shape;
}

Work work_of(Kernel kernel, bool large) {
  Work work;
  work.kernel = kernel;
  work.shape = shape_of(large);
  if (kernel == Kernel::grouped_gemm) {
    work.shape.groups = large ? 32 : 5;
    work.shape.m = large ? 1024 : 96;
    work.shape.n = large ? 4096 : 272;
    work.shape.k = large ? 7168 : 336;
  }
  return work;
}

void add_exchanges(std::vector<Point>& points, bool large) {
  for (const Structure structure : {Structure::direct, Structure::pipelined, Structure::staged}) {
    for (const Kernel kernel : {Kernel::dispatch, Kernel::combine}) {
      for (const int sms : large ? std::vector<int>{8, 16, 24, 32} : std::vector<int>{2, 6}) {
        Work work = work_of(kernel, large);
        work.structure = structure;
        work.sms = sms;
        points.push_back(
            {fmt::format(
                 "{}.{}.k{}", calibrate::to_string(kernel), calibrate::to_string(structure), sms),
             work});
        if (kernel == Kernel::dispatch && structure == Structure::direct) {
          work.format = cost::Format::fp8;
          work.shape.hidden = large ? 7168 : 512;
          points.push_back({fmt::format("dispatch.direct.fp8.k{}", sms), work});
        }
      }
    }
  }
}

void add_pairs(std::vector<Point>& points, bool large) {
  Work exchange = work_of(Kernel::dispatch, large);
  exchange.sms = large ? 24 : 4;
  exchange.pace = large ? 371e9 : 0;
  Work occupier;
  occupier.kernel = Kernel::occupier;
  occupier.sms = exchange.sms;
  const Work product = work_of(Kernel::grouped_gemm, large);
  points.push_back({"grouped beside dispatch", product, exchange});
  points.push_back({"grouped beside occupier", product, occupier});
  points.push_back({"dispatch beside grouped", exchange, product});
}

std::vector<Point> points_of(bool large) {
  std::vector<Point> points;
  for (const Kernel kernel : {Kernel::launch,
                              Kernel::graph_launch,
                              Kernel::stream_hop,
                              Kernel::host_sync,
                              Kernel::hbm_copy,
                              Kernel::hbm_read,
                              Kernel::hbm_write,
                              Kernel::permute,
                              Kernel::unpermute,
                              Kernel::swiglu,
                              Kernel::router,
                              Kernel::scan,
                              Kernel::copy_epilogue,
                              Kernel::reduce_epilogue}) {
    points.push_back({std::string(calibrate::to_string(kernel)), work_of(kernel, large)});
  }
  for (const int sms : {4, 16, 32}) {
    Work copy = work_of(Kernel::hbm_copy, large);
    copy.sms = sms;
    points.push_back({fmt::format("hbm_copy.k{}", sms), copy});
  }
  for (const cost::Format format : {cost::Format::bf16, cost::Format::fp8}) {
    Work product = work_of(Kernel::gemm, large);
    product.format = format;
    points.push_back({format == cost::Format::bf16 ? "gemm.bf16" : "gemm.fp8", product});
    for (const Stage stage : {Stage::forward, Stage::data_gradient, Stage::weight_gradient}) {
      Work grouped = work_of(Kernel::grouped_gemm, large);
      grouped.format = format;
      grouped.stage = stage;
      points.push_back({fmt::format("grouped.{}.{}",
                                    format == cost::Format::bf16 ? "bf16" : "fp8",
                                    calibrate::to_string(stage)),
                        grouped});
    }
  }
  add_exchanges(points, large);
  add_pairs(points, large);
  return points;
}

std::string rate_of(const Point& point, const calibrate::Measurement& measurement, double seconds) {
  const calibrate::Shape& shape = point.work.shape;
  if (point.work.kernel == Kernel::gemm || point.work.kernel == Kernel::grouped_gemm) {
    const double flops = 2.0 * static_cast<double>(std::max<std::int64_t>(shape.groups, 1)) *
                         static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                         static_cast<double>(shape.k);
    return fmt::format("{:8.1f} TFLOP/s", flops / seconds * 1e-12);
  }
  const double payload = measurement.payload_bytes();
  const double bytes = payload > 0 ? payload : measurement.memory_bytes();
  return bytes > 0
             ? fmt::format(
                   "{:8.1f} GB/s {}", bytes / seconds * 1e-9, payload > 0 ? "payload" : "memory")
             : "";
}

/// Prints a line; whether all went well.
bool run_point(calibrate::Backend& backend, const Point& point, bool timed) {
  Request request;
  request.id = point.name;
  request.work = point.work;
  request.beside = point.beside;
  const calibrate::Prepared prepared = backend.prepare(request);
  if (prepared.measurement == nullptr) {
    fmt::print("{:<32} -        {}\n", point.name, prepared.reason);
    return !prepared.fatal;
  }
  const Check& check = prepared.measurement->check();
  if (check.result != Check::Result::passed) {
    fmt::print("{:<32} WRONG    {}: {}\n", point.name, check.kind, check.what);
    return false;
  }
  if (!timed) {
    fmt::print("{:<32} right    {}\n", point.name, check.kind);
    return true;
  }
  std::vector<double> seconds;
  calibrate::Round round;
  constexpr int kRounds = 9;
  for (int i = 0; i < kRounds; ++i) {
    round = prepared.measurement->round();
    if (!round.failure.empty()) {
      fmt::print("{:<32} FAILED   {}\n", point.name, round.failure);
      return false;
    }
    seconds.push_back(round.seconds);
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  fmt::print("{:<32} {:10.2f} us  {}",
             point.name,
             median * 1e6,
             rate_of(point, *prepared.measurement, median));
  if (round.beside_seconds > 0) {
    fmt::print("  beside {:.2f} us", round.beside_seconds * 1e6);
  }
  if (round.start_delay) {
    fmt::print("  start delay {:.2f} us", *round.start_delay * 1e6);
  }
  fmt::print("  {:.0f} MHz {:.0f} W\n", round.state.clock_mhz, round.state.power_w);
  return true;
}

int run(bool large, bool timed) {
  calibrate::OneRank ranks;
  calibrate::BackendSettings settings;
  const auto opened = calibrate::open_cuda_backend(ranks, settings);
  if (opened.backend == nullptr) {
    fmt::print("skipped: {}\n", opened.reason);
    constexpr int kSkipped = 77;
    return kSkipped;
  }
  const auto& environment = opened.backend->environment();
  fmt::print("{}, {} SMs, timer {:.0f} ns",
             environment.device.name,
             environment.device.sms,
             environment.timer_tick * 1e9);
  for (const auto& [name, version] : environment.software) {
    fmt::print(", {} {}", name, version);
  }
  fmt::print("\n");
  bool good = true;
  for (const Point& point : points_of(large)) {
    good = run_point(*opened.backend, point, timed) && good;
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

}  // namespace

}  // namespace epwise

int main(int count, char** words) {
  const std::string how = count > 1 ? words[1] : "";
  return epwise::run(how == "--large", how != "--check");
}
