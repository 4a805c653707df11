#include <chrono>

#include "gpu/cuda/job.h"

namespace epwise::cuda {

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Work;

constexpr int kRow = 64;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A row of 64 kernels that count themselves: launched one by one, as a graph, or alternately on
/// two streams that wait for each other. The first two measure host time, from the first launch to
/// the end of the last kernel; the hops (each with the kernel after it) device time.
class LaunchRow : public Job {
 public:
  LaunchRow(JobContext& context, Kernel kernel)
      : gpu_(context.gpu),
        kernel_(kernel),
        count_(gpu_.upload(std::vector<std::uint32_t>(4, 0))) {
    const Driver& driver = gpu_.driver();
    for (Event& event : events_) {
      check(driver, driver.cuEventCreate(&event, kEventWithoutTime), "cuEventCreate");
    }
    launch_one(gpu_.work_stream());  // functions are looked up here, not during the capture
    gpu_.wait(gpu_.work_stream(), kJobPatience);
    if (kernel == Kernel::graph_launch) {
      capture();
    }
  }

  ~LaunchRow() override {
    const Driver& driver = gpu_.driver();
    for (const Event event : events_) {
      driver.cuEventDestroy_v2(event);
    }
    if (run_ != nullptr) {
      driver.cuGraphExecDestroy(run_);
    }
  }

  void queue(Stream stream, int /*run*/) override {
    switch (kernel_) {
      case Kernel::graph_launch:
        check(gpu_.driver(), gpu_.driver().cuGraphLaunch(run_, stream), "cuGraphLaunch");
        break;
      case Kernel::stream_hop:
        hop(stream);
        break;
      default:
        for (int i = 0; i < kRow; ++i) {
          launch_one(stream);
        }
        break;
    }
  }

  Check verify() override {
    const auto before = gpu_.download<std::uint32_t>(count_->address(), 1).front();
    queue(gpu_.work_stream(), 0);
    gpu_.wait(gpu_.work_stream(), kJobPatience);
    const auto after = gpu_.download<std::uint32_t>(count_->address(), 1).front();
    return bitwise(after - before == kRow ? 0 : 1, "launches are missing");
  }

  int launches() const override { return 3 * kRow; }

  double units() const override { return kRow; }

  double host_seconds() override {
    if (kernel_ == Kernel::stream_hop) {
      return 0;
    }
    const Stream stream = gpu_.work_stream();
    gpu_.wait(stream, kJobPatience);
    const auto start = std::chrono::steady_clock::now();
    queue(stream, 0);
    gpu_.wait(stream, kJobPatience);
    return seconds_since(start) / kRow;
  }

 private:
  void launch_one(Stream stream) {
    abi::CountArguments arguments = {};
    arguments.count = count_->as<std::uint32_t>();
    gpu_.launch(stream, "epwise_count", {1, 32}, arguments);
  }

  void hop(Stream stream) {
    const Driver& driver = gpu_.driver();
    const std::array<Stream, 2> streams = {stream, gpu_.group_streams().front()};
    for (std::size_t i = 0; i < kRow; ++i) {
      const Stream here = streams[i % 2];
      const Stream next = streams[(i + 1) % 2];
      launch_one(here);
      check(driver, driver.cuEventRecord(events_[i % 2], here), "cuEventRecord");
      check(driver, driver.cuStreamWaitEvent(next, events_[i % 2], 0), "cuStreamWaitEvent");
    }
  }

  void capture() {
    const Driver& driver = gpu_.driver();
    const Stream stream = gpu_.work_stream();
    Graph graph = nullptr;
    check(driver, driver.cuStreamBeginCapture_v2(stream, kCaptureRelaxed), "cuStreamBeginCapture");
    for (int i = 0; i < kRow; ++i) {
      launch_one(stream);
    }
    check(driver, driver.cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
    const Result result = driver.cuGraphInstantiateWithFlags(&run_, graph, 0);
    driver.cuGraphDestroy(graph);
    check(driver, result, "cuGraphInstantiate");
  }

  Gpu& gpu_;
  Kernel kernel_;
  std::unique_ptr<Memory> count_;
  std::array<Event, 2> events_ = {};
  GraphRun run_ = nullptr;
};

/// Counts to the host, which waits: the work of a dispatcher that needs its sizes.
class HostSync : public Job {
 public:
  HostSync(JobContext& context, std::int64_t experts)
      : gpu_(context.gpu),
        words_(static_cast<std::size_t>(std::max<std::int64_t>(experts, 1))),
        host_(gpu_.driver(), words_) {
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < words_; ++i) {
      counts.push_back(static_cast<std::uint32_t>(3 * i + 1));
    }
    counts_ = gpu_.upload(counts);
  }

  void queue(Stream stream, int /*run*/) override {
    check(gpu_.driver(),
          gpu_.driver().cuMemcpyDtoHAsync_v2(const_cast<std::uint32_t*>(&host_[0]),
                                             counts_->address(),
                                             words_ * sizeof(std::uint32_t),
                                             stream),
          "cuMemcpyDtoHAsync");
  }

  Check verify() override {
    host_[words_ - 1] = 0;
    queue(gpu_.work_stream(), 0);
    gpu_.wait(gpu_.work_stream(), kJobPatience);
    return bitwise(host_[words_ - 1] == 3 * (words_ - 1) + 1 ? 0 : 1, "the last count");
  }

  double host_seconds() override {
    const Stream stream = gpu_.work_stream();
    gpu_.wait(stream, kJobPatience);
    constexpr int kTimes = 16;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kTimes; ++i) {
      queue(stream, i);
      check(gpu_.driver(), gpu_.driver().cuStreamSynchronize(stream), "cuStreamSynchronize");
    }
    return seconds_since(start) / kTimes;
  }

 private:
  Gpu& gpu_;
  std::size_t words_;
  HostWords host_;
  std::unique_ptr<Memory> counts_;
};

}  // namespace

MadeJob make_launch_job(JobContext& context, const Work& work) {
  switch (work.kernel) {
    case Kernel::host_sync:
      return {std::make_unique<HostSync>(context, work.shape.experts), {}};
    case Kernel::host_operation:
      return {nullptr,
              "the framework's time per operation shows in a profile of a step, not in kernels"};
    default:
      return {std::make_unique<LaunchRow>(context, work.kernel), {}};
  }
}

}  // namespace epwise::cuda
