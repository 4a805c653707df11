// The whole cuda backend on an emulated device: inputs, launches, checks, gates, pairs, memory.

#include <doctest/doctest.h>

#include "fake_driver.h"
#include "support/sampling.h"

namespace epwise::kernel_tests {

namespace {

using calibrate::Check;
using calibrate::Kernel;
using calibrate::Request;
using calibrate::Stage;
using calibrate::Structure;
using calibrate::Work;

struct Bench {
  emulator::Device device{1, 6, 65536};
  FakeDriver driver{device};
  calibrate::OneRank ranks;
  calibrate::BackendSettings settings = {.timeout = 20};
  calibrate::OpenedBackend opened;

  explicit Bench(bool blas = true)
      : opened(cuda::open_backend(ranks, settings, driver.doors(blas))) {}

  calibrate::Prepared prepare(const Work& work, const std::optional<Work>& beside = std::nullopt) {
    Request request;
    request.id = "point";
    request.work = work;
    request.beside = beside;
    return opened.backend->prepare(request);
  }
};

Work work_of(Kernel kernel) {
  Work work;
  work.kernel = kernel;
  work.shape.bytes = 40960;
  work.shape.tokens = 21;
  work.shape.topk = 3;
  work.shape.experts = 8;
  work.shape.hidden = 64;
  work.shape.inter = 32;
  work.shape.ranks = 4;
  work.shape.m = 16;
  work.shape.n = 32;
  work.shape.k = 48;
  work.shape.groups = kernel == Kernel::grouped_gemm ? 3 : 0;
  return work;
}

Work exchange_of(Kernel kernel, Structure structure, int sms) {
  Work work = work_of(kernel);
  work.structure = structure;
  work.sms = sms;
  return work;
}

/// The first thing wrong with a point that should be checked and timed; empty: nothing.
std::string problem_of(calibrate::Prepared prepared, int rounds = 3 - test::share(2)) {
  if (prepared.measurement == nullptr) {
    return "not prepared: " + prepared.reason;
  }
  if (prepared.measurement->check().result != Check::Result::passed) {
    return "check: " + prepared.measurement->check().what;
  }
  for (int i = 0; i < rounds; ++i) {
    const calibrate::Round round = prepared.measurement->round();
    if (!round.failure.empty()) {
      return "round: " + round.failure;
    }
    if (!(round.seconds > 0)) {
      return "no time";
    }
  }
  return "";
}

}  // namespace

TEST_CASE("every kernel of one GPU is made, checked and timed") {
  Bench bench;
  CHECK(bench.opened.reason == "");
  REQUIRE(bench.opened.backend != nullptr);
  for (const Kernel kernel : {Kernel::hbm_copy,
                              Kernel::hbm_read,
                              Kernel::hbm_write,
                              Kernel::permute,
                              Kernel::unpermute,
                              Kernel::swiglu,
                              Kernel::router,
                              Kernel::scan,
                              Kernel::gemm,
                              Kernel::grouped_gemm,
                              Kernel::copy_epilogue,
                              Kernel::reduce_epilogue,
                              Kernel::launch,
                              Kernel::graph_launch,
                              Kernel::stream_hop,
                              Kernel::host_sync}) {
    CAPTURE(calibrate::to_string(kernel));
    CHECK(problem_of(bench.prepare(work_of(kernel))) == "");
  }
  Work limited = work_of(Kernel::hbm_copy);
  limited.sms = 2;
  CHECK(problem_of(bench.prepare(limited)) == "");
}

TEST_CASE("exchanges of all structures, in bf16 and fp8, paced and not") {
  Bench bench;
  for (const Structure structure : {Structure::direct, Structure::pipelined, Structure::staged}) {
    CAPTURE(calibrate::to_string(structure));
    CHECK(problem_of(bench.prepare(exchange_of(Kernel::dispatch, structure, 2))) == "");
    CHECK(problem_of(bench.prepare(exchange_of(Kernel::combine, structure, 4))) == "");
    Work narrow = exchange_of(Kernel::dispatch, structure, 2);
    narrow.format = cost::Format::fp8;
    narrow.shape.hidden = 256;
    narrow.pace = 2e9;
    CHECK(problem_of(bench.prepare(narrow), 1) == "");
  }
}

TEST_CASE("products of all stages, in bf16 and fp8, meet their reference") {
  Bench bench;
  for (const Stage stage : {Stage::forward, Stage::data_gradient, Stage::weight_gradient}) {
    for (const cost::Format format : {cost::Format::bf16, cost::Format::fp8}) {
      Work work = work_of(Kernel::grouped_gemm);
      work.stage = stage;
      work.format = format;
      CAPTURE(calibrate::to_string(stage));
      CHECK(problem_of(bench.prepare(work), 1) == "");
    }
  }
}

TEST_CASE("pairs: each side's time beside the other, and the wait of the first block") {
  Bench bench;
  const Work product = work_of(Kernel::grouped_gemm);
  const Work exchange = exchange_of(Kernel::dispatch, Structure::direct, 2);
  auto pair = bench.prepare(product, exchange);
  REQUIRE(pair.measurement != nullptr);
  const calibrate::Round round = pair.measurement->round();
  CHECK(round.failure == "");
  CHECK(round.seconds > 0);
  CHECK(round.beside_seconds > 0);
  CHECK(!round.start_delay.has_value());

  auto turned = bench.prepare(exchange, work_of(Kernel::permute));
  REQUIRE(turned.measurement != nullptr);
  const calibrate::Round delayed = turned.measurement->round();
  CHECK(delayed.failure == "");
  CHECK(delayed.start_delay.has_value());

  Work occupier = work_of(Kernel::occupier);
  occupier.sms = 2;
  auto held = bench.prepare(product, occupier);
  REQUIRE(held.measurement != nullptr);
  const calibrate::Round beside = held.measurement->round();
  CHECK(beside.failure == "");
  CHECK(beside.seconds > 0);
  CHECK(beside.beside_seconds == 0);
}

TEST_CASE("what can't be measured says why") {
  Bench bench(false);
  CHECK(bench.prepare(work_of(Kernel::gemm)).reason == "cuBLAS is not installed");
  CHECK(bench.prepare(work_of(Kernel::all_to_all)).reason == "one GPU: no peers");
  CHECK(bench.prepare(work_of(Kernel::peer_copy)).reason == "one GPU: no peers");
  CHECK(bench.prepare(work_of(Kernel::occupier)).reason == "an occupier has no time of its own");
  CHECK(bench.prepare(work_of(Kernel::host_operation)).reason.find("profile") != std::string::npos);
  CHECK(bench.prepare(exchange_of(Kernel::dispatch, Structure::staged, 3)).reason ==
        "staged exchanges need pairs of SMs");
  CHECK(bench.prepare(exchange_of(Kernel::dispatch, Structure::direct, 9)).reason ==
        "the device has 6 SMs");
  Work odd = exchange_of(Kernel::dispatch, Structure::direct, 2);
  odd.shape.experts = 10;
  CHECK(bench.prepare(odd).reason == "10 experts do not divide among 4 ranks");
  Work wide = exchange_of(Kernel::dispatch, Structure::direct, 2);
  wide.shape.hidden = 60000;
  CHECK(bench.prepare(wide).reason == "a row does not fit into shared memory");
  Work large = work_of(Kernel::hbm_copy);
  large.shape.bytes = 4e9;
  const auto refused = bench.prepare(large);
  CHECK(refused.reason.find("needs 2.0 GB more") == 0);
  CHECK(!refused.fatal);
}

TEST_CASE("memory goes back when it is let go") {
  Bench bench;
  bench.opened.backend->trim();
  const std::size_t before = bench.driver.allocated();
  {
    auto prepared = bench.prepare(exchange_of(Kernel::dispatch, Structure::pipelined, 2));
    CHECK(bench.driver.allocated() > before);
  }
  bench.opened.backend->trim();
  CHECK(bench.driver.allocated() == before);
  bench.opened.backend.reset();
  CHECK(bench.driver.allocated() == 0);
}

TEST_CASE("the environment is read from the device") {
  Bench bench;
  const calibrate::Environment& environment = bench.opened.backend->environment();
  CHECK(environment.device.name == "Emulated");
  CHECK(environment.device.compute_capability == "9.0");
  CHECK(environment.device.sms == 6);
  CHECK(environment.software.at("cuda_driver") == "13.0");
  CHECK(environment.software.at("cublaslt") == "13.1.1");
  CHECK(environment.domain == std::vector<int>{0});
  CHECK(environment.timer_tick > 0);
}

TEST_CASE("a machine without a driver or a build without kernels has a reason") {
  calibrate::OneRank ranks;
  cuda::Doors doors;
  CHECK(cuda::open_backend(ranks, {}, std::move(doors)).reason.find("nvcc was not found") !=
        std::string::npos);
  emulator::Device device(1);
  const FakeDriver driver(device);
  cuda::Doors absent = driver.doors();
  absent.driver = cuda::load_driver(cuda::Library("EPWISE_TEST_LIB", {"libepwise_absent.so.1"}));
  CHECK(cuda::open_backend(ranks, {}, std::move(absent)).reason ==
        "no GPU: the driver's library libepwise_absent.so.1 is not installed");
  cuda::Doors old = driver.doors();
  old.driver.driver.cuModuleLoadData = [](cuda::Module*, const void*) { return cuda::Result{222}; };
  CHECK(cuda::open_backend(ranks, {}, std::move(old))
            .reason.find("the driver supports CUDA 13.0, the kernels are for") !=
        std::string::npos);
}

}  // namespace epwise::kernel_tests
