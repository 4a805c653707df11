#include "calibrate/backends/host_probe.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "calibrate/backends/cpu_backend.h"

namespace epwise::calibrate {

namespace {

Prepared probe(const std::string& printed, const std::string& reason = {}) {
  OneRank ranks;
  const auto backend = with_host_probe(
      open_cpu_backend(ranks, {}), [&](const std::string& script, std::string& why) {
        CHECK(script.find("transformer_engine") != std::string::npos);
        why = reason;
        return printed;
      });
  CHECK(backend->name() == "cpu");
  Request request;
  request.work.kernel = Kernel::host_operation;
  return backend->prepare(request);
}

}  // namespace

TEST_CASE("rounds are what Python printed") {
  const Prepared prepared = probe("41.5\n40.25\n43\n40\n44\n41\n");
  REQUIRE(prepared.measurement);
  CHECK(prepared.measurement->round().seconds == doctest::Approx(41.5e-6));
  CHECK(prepared.measurement->round().seconds == doctest::Approx(40.25e-6));
}

TEST_CASE("what libraries print when they are loaded is no time and no reason") {
  const Prepared prepared =
      probe("Warning: 3 kernels are slow\n41.5\n40.25\n43\n\n2 more\n40\n44\n41\n");
  REQUIRE(prepared.measurement);
  CHECK(prepared.measurement->round().seconds == doctest::Approx(41.5e-6));
  CHECK(probe("loading\nmissing Python has no torch\n").reason == "Python has no torch");
}

TEST_CASE("what is missing is the reason") {
  CHECK(probe("missing No module named 'torch'\n").reason == "No module named 'torch'");
  CHECK(probe("41.5\n").reason == "Python returned no times");
  CHECK(probe("", "python3 can't be started").reason == "python3 can't be started");
}

}  // namespace epwise::calibrate
