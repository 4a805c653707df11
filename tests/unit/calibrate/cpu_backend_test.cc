// Every kernel of the CPU backend against its reference.

#include "calibrate/backends/cpu_backend.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "calibrate/backends/cpu_kernels.h"
#include "calibrate/work/routing.h"

namespace epwise::calibrate {

namespace {

Work sized(Kernel kernel) {
  Work work;
  work.kernel = kernel;
  work.shape.bytes = 65536;
  work.shape.tokens = 77;  // no multiple of a chunk
  work.shape.hidden = 24;
  work.shape.inter = 12;
  work.shape.experts = 8;
  work.shape.topk = 3;
  work.shape.ranks = 4;
  if (kernel == Kernel::gemm || kernel == Kernel::grouped_gemm) {
    work.shape = {};
    work.shape.m = 33;
    work.shape.n = 17;
    work.shape.k = 29;
    work.shape.groups = kernel == Kernel::gemm ? 0 : 3;
  }
  return work;
}

}  // namespace

TEST_CASE("kernels are right, with one thread and with several") {
  std::vector<Work> works;
  for (const Kernel kernel : {Kernel::hbm_copy,
                              Kernel::hbm_read,
                              Kernel::hbm_write,
                              Kernel::gemm,
                              Kernel::grouped_gemm,
                              Kernel::permute,
                              Kernel::unpermute,
                              Kernel::swiglu,
                              Kernel::router,
                              Kernel::scan,
                              Kernel::copy_epilogue,
                              Kernel::reduce_epilogue}) {
    works.push_back(sized(kernel));
  }
  works.push_back(sized(Kernel::grouped_gemm));
  works.back().stage = Stage::weight_gradient;
  for (const Structure structure : {Structure::direct, Structure::pipelined, Structure::staged}) {
    for (const Kernel kernel : {Kernel::dispatch, Kernel::combine}) {
      works.push_back(sized(kernel));
      works.back().structure = structure;
    }
  }
  for (const Work& work : works) {
    Request request;
    request.work = work;
    std::string reason;
    const auto kernel = make_cpu_kernel(request, work, reason);
    REQUIRE(kernel);
    for (const int threads : {1, 3, 100}) {
      CAPTURE(to_string(work.kernel));
      CAPTURE(threads);
      const Check check = kernel->verify(threads);
      CHECK_MESSAGE(check.result == Check::Result::passed, check.what);
    }
  }
}

TEST_CASE("one token, all experts, one rank") {
  for (const Kernel kernel : {Kernel::dispatch, Kernel::combine, Kernel::permute, Kernel::scan}) {
    Request request;
    request.work = sized(kernel);
    request.work.shape.tokens = 1;
    request.work.shape.topk = 8;
    request.work.shape.ranks = 1;
    std::string reason;
    const auto kernel_made = make_cpu_kernel(request, request.work, reason);
    REQUIRE(kernel_made);
    CHECK(kernel_made->verify(2).result == Check::Result::passed);
  }
}

TEST_CASE("routing: different experts, probabilities of one token sum to 1, seeds decide") {
  const Work work = sized(Kernel::dispatch);
  const Routing routing = make_routing(work.shape, 5);
  CHECK(make_routing(work.shape, 5).experts == routing.experts);
  CHECK(make_routing(work.shape, 6).experts != routing.experts);
  for (std::size_t token = 0; token < 77; ++token) {
    const int a = routing.experts[token * 3];
    const int b = routing.experts[token * 3 + 1];
    const int c = routing.experts[token * 3 + 2];
    CHECK(a != b);
    CHECK(b != c);
    CHECK(a != c);
    const float sum = routing.probabilities[token * 3] + routing.probabilities[token * 3 + 1] +
                      routing.probabilities[token * 3 + 2];
    CHECK(sum == doctest::Approx(1));
    CHECK(routing.reached[token * 4 + static_cast<std::size_t>(a) / 2] == 1);
  }
}

TEST_CASE("pairs run side by side, and what a CPU has not is refused with a reason") {
  OneRank ranks;
  const auto backend = open_cpu_backend(ranks, {});
  Request pair;
  pair.work = sized(Kernel::gemm);
  pair.beside = sized(Kernel::dispatch);
  pair.beside->sms = 1;
  Prepared prepared = backend->prepare(pair);
  REQUIRE(prepared.measurement);
  const Round round = prepared.measurement->round();
  CHECK(round.seconds > 0);
  CHECK(round.beside_seconds > 0);
  Request graph;
  graph.work.kernel = Kernel::graph_launch;
  CHECK(backend->prepare(graph).reason == "a CPU has neither streams nor NCCL");
  Request links;
  links.work = sized(Kernel::dispatch);
  links.scope = Scope::domain;
  CHECK(!backend->prepare(links).measurement);
}

}  // namespace epwise::calibrate
