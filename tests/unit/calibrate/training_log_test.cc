#include "calibrate/import/training_log.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace epwise::calibrate {
namespace {

std::string line(int iteration, double milliseconds, int batch = 64, const char* rank = "") {
  return fmt::format(
      "{}[2026-11-20 10:00:00] iteration {:8d}/     100 | consumed samples: {:12d} | elapsed time "
      "per iteration (ms): {:.1f} | throughput per GPU (TFLOP/s/GPU): 350.5 | global batch size: "
      "{:5d} |\n",
      rank,
      iteration,
      iteration * batch,
      milliseconds,
      batch);
}

}  // namespace

TEST_CASE("lines that ranks repeat count once, behind prefixes and colours") {
  const auto runs =
      read_training_log("\x1b[32m3: \x1b[0m" + line(1, 9000) + line(2, 3000, 64, "7: ") +
                        line(2, 3001, 64, "6: ") + line(3, 3002));
  REQUIRE(runs.size() == 1);
  REQUIRE(runs[0].steps.size() == 3);
  CHECK(runs[0].steps[1].seconds == doctest::Approx(3.001));
  CHECK(runs[0].steps[2].tflops == doctest::Approx(350.5));
  CHECK(runs[0].steps[2].batch == 64);
}

TEST_CASE("warm-up, ramp-up and checkpoints are no typical step") {
  std::string text;
  for (int i = 1; i <= 30; ++i) {
    text += line(i,
                 i == 1        ? 20000
                 : i < 10      ? 1500
                 : i % 10 == 0 ? 4500
                               : 3000 + i,
                 i < 10 ? 32 : 64);
  }
  const TypicalStep step = typical_step(read_training_log(text).at(0));
  CHECK(step.batch == 64);
  CHECK(step.warm_up == 3);
  CHECK(step.ramp == 6);
  CHECK(step.slow == 3);
  CHECK(step.used == 18);
  CHECK(step.seconds == doctest::Approx(3.02).epsilon(0.005));
}

TEST_CASE("iterations that start again are another run with the same arguments") {
  const std::string head =
      "---- arguments ----\n  num_layers ............... 4\n---- end of arguments ----\n";
  const auto runs =
      read_training_log(head + line(1, 100) + line(2, 100) + line(1, 200) + line(2, 200));
  REQUIRE(runs.size() == 2);
  CHECK(runs[1].arguments == runs[0].arguments);
  CHECK(runs[0].arguments.at(0).second == "4");
  CHECK(runs[1].steps[1].seconds == doctest::Approx(0.2));
}

TEST_CASE("a configuration ends where its YAML does; memory has the unit of its framework") {
  const auto runs = read_training_log(
      "x _target_: megatron.bridge.training.config.ConfigContainer\nx model:\nx   num_layers: 4\n"
      "> starting\n" +
      line(1, 100) + line(2, 100) +
      "(after 2 iterations) memory (GB) | mem-max-allocated-gigabytes: 2.0 | x: 1\n"
      "[Rank 0] (after 2 iterations) memory (MB) | allocated: 1.0 | max allocated: 1000.0 |\n");
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].configuration ==
        "_target_: megatron.bridge.training.config.ConfigContainer\nmodel:\n  num_layers: 4\n");
  CHECK(runs[0].allocated == doctest::Approx(2e9));
}

TEST_CASE("exports: a run for each column of times, in the unit of its name") {
  const auto runs = read_training_log(
      "\"Step\",\"a - iteration-time\",\"a - iteration-time__MAX\",\"b: step_time (ms)\"\n"
      "\"1\",\"3.5\",\"9\",\"1200\"\n\"2\",\"3.6\",\"9\",\"\"\n");
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].steps.size() == 2);
  CHECK(runs[1].steps.at(0).seconds == doctest::Approx(1.2));
  const auto scalar = read_training_log("Wall time,Step,Value\n1.7e9,1,4.5\n1.7e9,2,4.25\n");
  REQUIRE(scalar.size() == 1);
  CHECK(scalar[0].steps[1].seconds == doctest::Approx(4.25));
}

TEST_CASE("what is no log has no runs") {
  CHECK(read_training_log("model:\n  num_layers: 4\n").empty());
  CHECK(read_training_log("a,b\n1,2\n").empty());
  CHECK(read_training_log("").empty());
}

}  // namespace epwise::calibrate
