#include "advise/run_profile.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace epwise::advise {

namespace {

constexpr std::int64_t kMs = 1'000'000;

/// Steps of 100 ms: 10 ms exchange, 60 ms product of which the first 4 ms beside it, 20 ms
/// optimizer.
RunProfile steps(int count) {
  RunProfile profile;
  profile.names = {"deep_ep::intranode::dispatch", "nvjet_tst_64x8", "adam"};
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = 100 * kMs * i;
    profile.kernels.push_back({at, at + 10 * kMs, 0});
    profile.kernels.push_back({at + 6 * kMs, at + 66 * kMs, 1});
    profile.kernels.push_back({at + 66 * kMs, at + 86 * kMs, 2});
  }
  return profile;
}

}  // namespace

TEST_CASE("kernels are known by their names") {
  const std::vector<std::pair<const char*, KernelKind>> known = {
      {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", KernelKind::exchange},
      {"ncclKernel_AllToAll_RING_LL", KernelKind::exchange},
      {"ncclDevKernel_AllGather_RING_LL", KernelKind::communication},
      {"void deep_ep::internode::dispatch<false, 8>(int4*)", KernelKind::exchange},
      {"void deep_ep::internode::notify_dispatch<false, 8>(int)", KernelKind::setup},
      {"void deep_ep::layout::get_dispatch_layout<8>(int)", KernelKind::setup},
      {"hybrid_ep::combine_kernel<2>", KernelKind::exchange},
      {"sm90_xmma_gemm_bf16bf16_bf16f32", KernelKind::product},
      {"cutlass::gemm::GroupedKernel", KernelKind::product},
      {"flash_fwd_kernel", KernelKind::other},
      {"moe_permute_dispatch_sort", KernelKind::other},
  };
  for (const auto& entry : known) {
    CAPTURE(entry.first);
    CHECK(kind_of(entry.first) == entry.second);
  }
}

TEST_CASE("names of steps") {
  for (const char* name : {"iteration", "Iteration 12", "train_step", "ProfilerStep#7", "step_3"}) {
    CHECK_MESSAGE(names_step(name), name);
  }
  for (const char* name : {"forward", "optimizer step of layer", "", "12", "stepper"}) {
    CHECK_FALSE_MESSAGE(names_step(name), name);
  }
}

TEST_CASE("steps are what repeats, and their parts are shares of them") {
  const RunFigures figures = figures_of(steps(5));
  REQUIRE(figures.problem == "");
  CHECK(figures.found_by == "repeating kernels");
  CHECK(figures.step == doctest::Approx(0.1));
  CHECK(figures.exchange == doctest::Approx(0.01));
  CHECK(figures.exposed == doctest::Approx(0.06));
  CHECK(figures.products == doctest::Approx(0.6));
  CHECK(figures.idle == doctest::Approx(0.14));
}

TEST_CASE("ranges say where steps are, the outer one of several, and the first step is left out") {
  RunProfile profile = steps(5);
  for (int i = 0; i < 5; ++i) {
    const std::int64_t at = 100 * kMs * i;
    profile.ranges.push_back({at + 2 * kMs, at + 40 * kMs, "step"});
    profile.ranges.push_back({at, at + 99 * kMs, "iteration " + std::to_string(i)});
  }
  const RunFigures figures = figures_of(profile);
  REQUIRE(figures.problem == "");
  CHECK(figures.found_by == "NVTX ranges `iteration`");
  CHECK(figures.steps == 4);
  CHECK(figures.step == doctest::Approx(0.1));
}

TEST_CASE("what holds no steps says so") {
  CHECK(figures_of(RunProfile{}).problem.find("no kernels") != std::string::npos);
  CHECK(figures_of(steps(1)).problem.find("no steps") != std::string::npos);
  RunProfile layers;  // one step of ten regular layers, and an optimizer behind them
  layers.names = {"nvjet_tst_64x8", "adam"};
  for (int i = 0; i < 10; ++i) {
    layers.kernels.push_back({10 * kMs * i, 10 * kMs * i + 9 * kMs, 0});
  }
  layers.kernels.push_back({101 * kMs, 105 * kMs, 1});
  CHECK(figures_of(layers).problem.find("no steps") != std::string::npos);
  RunProfile profile = steps(5);
  profile.kernels[3].start += 37 * kMs;  // bursts at no one distance
  profile.kernels[4].start += 37 * kMs;
  profile.kernels[5].start += 37 * kMs;
  profile.kernels[9].start += 23 * kMs;
  profile.kernels[10].start += 23 * kMs;
  profile.kernels[11].start += 23 * kMs;
  CHECK(figures_of(profile).problem.find("no steps") != std::string::npos);
  profile.hidden_graphs = true;
  CHECK(figures_of(profile).problem.find("cuda-graph-trace") != std::string::npos);
}

TEST_CASE("what NCCL sends is counted by stream, short kernels with the long ones behind them") {
  RunProfile profile;
  profile.names = {"ncclDevKernel_SendRecv(int)", "nvjet_tst_64x8"};
  for (int i = 0; i < 4; ++i) {
    std::int64_t at = 100 * kMs * i;
    for (int layer = 0; layer < 8; ++layer) {
      profile.kernels.push_back({at, at + kMs / 10, 0, 20});  // probabilities
      profile.kernels.push_back({at + kMs, at + 3 * kMs, 0, 20});
      at += 10 * kMs;
    }
    profile.kernels.push_back({at, at + 7 * kMs, 0, 33});
    profile.kernels.push_back({at, at + 15 * kMs, 1, 7});
  }
  const RunFigures figures = figures_of(profile);
  REQUIRE(figures.problem == "");
  CHECK(figures.exchange == 0);
  REQUIRE(figures.sends.size() == 2);
  CHECK(figures.sends[0].stream == 20);
  CHECK(figures.sends[0].per_step == doctest::Approx(8));
  CHECK(figures.sends[0].seconds == doctest::Approx(0.0021));
  CHECK(figures.sends[1].per_step == doctest::Approx(1));
}

TEST_CASE("kernels of a library are the exchange, whatever a pipeline sends beside them") {
  RunProfile profile = steps(5);
  profile.names.emplace_back("ncclDevKernel_SendRecv(int)");
  for (int i = 0; i < 5; ++i) {
    const std::int64_t at = 100 * kMs * i + 90 * kMs;
    profile.kernels.push_back({at, at + 5 * kMs, 3, 33});
  }
  std::ranges::sort(profile.kernels, {}, &RunProfile::Kernel::start);
  const RunFigures figures = figures_of(profile);
  CHECK(figures.exchange == doctest::Approx(0.01));
  CHECK(figures.sends.empty());
}

TEST_CASE("the stream that carries tokens is told by what the recipe makes of the counts") {
  const std::vector<SendStream> one{{20, 480, 0.002}};
  const std::vector<SendStream> two{{20, 480, 0.002}, {33, 32, 0.004}};
  const auto stream = [](const std::vector<SendStream>& sends, const Traffic& traffic) {
    const SendStream* found = exchange_stream(sends, traffic);
    return found == nullptr ? 0 : found->stream;
  };
  CHECK(stream(one, {480, 0, false}) == 20);  // nothing else sends
  CHECK(stream(two, {480, 0, false}) == 20);
  CHECK(stream(two, {480, 32, false}) == 20);
  CHECK(stream(one, {480, 32, false}) == 0);  // where are the pipeline's?
  CHECK(stream({{20, 480, 0.002}, {33, 470, 0.004}}, {480, 32, false}) == 0);  // both might be it
  CHECK(stream(two, {60, 32, false}) == 20);
  CHECK(stream({{20, 32, 0.002}, {33, 32, 0.004}}, {32, 32, false}) == 0);    // a layer a chunk
  CHECK(stream({{20, 100, 0.002}, {33, 32, 0.004}}, {480, 32, false}) == 0);  // too few, too many
  CHECK(stream(two, {480, 32, true}) == 0);  // context ranks send as often
  CHECK(stream({}, {480, 0, false}) == 0);
}

TEST_CASE("a thousand steps are enough, and what takes most time tells them") {
  const auto figures = figures_of(steps(1500));
  CHECK(figures.steps == 1000);
  CHECK(figures.step == doctest::Approx(0.1));

  RunProfile many = steps(12);
  for (int i = 0; i < 5000; ++i) {  // a name each, as of compiled kernels
    many.names.push_back("triton_" + std::to_string(i));
    many.kernels.push_back({86 * kMs + i, 86 * kMs + i + 1, 3 + i});
  }
  std::ranges::sort(many.kernels, {}, &RunProfile::Kernel::start);
  const auto found = figures_of(many);
  CHECK(found.found_by == "repeating kernels");
  CHECK(found.step == doctest::Approx(0.1));
}

TEST_CASE("moments at both ends of the clock can be told apart") {
  constexpr std::int64_t kFar = std::int64_t{1} << 61U;  // the furthest that is read
  RunProfile profile;
  profile.names = {"nvjet_tst_64x8"};
  for (int i = 0; i < 8; ++i) {
    profile.kernels.push_back({-kFar, kFar, 0});
  }
  profile.ranges = {{-kFar, kFar, "iteration 1"}};
  const auto figures = figures_of(profile);
  CHECK(figures.problem.empty());
  CHECK(figures.products == doctest::Approx(1));
}

}  // namespace epwise::advise
