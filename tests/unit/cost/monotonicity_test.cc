// More work is never done sooner, and more SMs never make it later, on any chip.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "perf/cost/compiled_table.h"
#include "perf/cost/question.h"

namespace epwise::cost {

namespace {

using Arguments = std::vector<Argument>;

enum class Course : std::uint8_t { rising, falling };

/// One argument that runs through values while the rest stays.
struct Run {
  std::string law;
  Arguments rest;
  std::string name;
  std::vector<std::string> values;
  Course course = Course::rising;
};

double seconds(const Table& table, const std::string& chip, const Run& run, std::string value) {
  Question question{run.law, run.rest};
  question.arguments.push_back({"hw", chip});
  question.arguments.push_back({run.name, std::move(value)});
  const Answer given = answer(table, question);
  for (const std::string& problem : given.problems) {
    FAIL_CHECK(problem);
  }
  return given.cost ? given.cost->seconds : 0;
}

Arguments without(Arguments arguments, const std::string& name) {
  std::erase_if(arguments, [&](const Argument& each) { return each.name == name; });
  return arguments;
}

void add(std::vector<Run>& runs,
         const std::string& law,
         const Arguments& all,
         const std::string& name,
         const std::vector<std::string>& values,
         Course course = Course::rising) {
  runs.push_back({law, without(all, name), name, values, course});
}

const std::vector<std::string> kSizes = {
    "64", "100", "512", "1000", "1024", "1025", "2048", "4096", "5000", "16384", "65536", "262144"};
const std::vector<std::string> kTokens = {
    "1", "10", "100", "1000", "1024", "4096", "5000", "16384", "100000", "1000000"};
const std::vector<std::string> kSms = {"2", "4", "8", "12", "16", "20", "24", "32", "48", "64"};
const std::vector<std::string> kBytes = {
    "1", "1000", "65536", "1e6", "8e6", "3e7", "1e8", "1e9", "1e10", "1e12"};

std::vector<Run> kernel_runs() {
  std::vector<Run> runs;
  for (const std::string format : {"bf16", "fp8", "fp8_block", "nvfp4"}) {
    const Arguments gemm = {{"dtype", format}, {"m", "4096"}, {"n", "4096"}, {"k", "4096"}};
    for (const std::string name : {"m", "n", "k"}) {
      add(runs, "gemm", gemm, name, kSizes);
    }
    add(runs, "gemm", gemm, "sms", kSms, Course::falling);
    for (const std::string family : {"te", "single"}) {
      const Arguments grouped = {{"dtype", format},
                                 {"groups", "8"},
                                 {"tokens_per_group", "1024"},
                                 {"n", "4096"},
                                 {"k", "4096"},
                                 {"family", family}};
      add(runs, "grouped_gemm", grouped, "tokens_per_group", kSizes);
      add(runs, "grouped_gemm", grouped, "n", kSizes);
      add(runs, "grouped_gemm", grouped, "k", kSizes);
    }
    const Arguments layer = {{"dtype", format},
                             {"tokens", "4096"},
                             {"topk", "8"},
                             {"experts", "256"},
                             {"ep", "8"},
                             {"hidden", "7168"},
                             {"inter", "2048"}};
    add(runs, "moe_forward", layer, "tokens", kSizes);
    add(runs, "moe_forward", layer, "inter", kSizes);
  }
  for (const std::string backward : {"true", "false"}) {
    const Arguments attention = {{"dtype", "bf16"},
                                 {"heads", "32"},
                                 {"head_dim_qk", "128"},
                                 {"head_dim_v", "128"},
                                 {"seq", "4096"},
                                 {"backward", backward}};
    add(runs, "attention", attention, "seq", kSizes);
    add(runs, "attention", attention, "heads", {"1", "8", "32", "128"});
    add(runs, "attention", attention, "batch", {"1", "2", "8", "64"});
    add(runs, "attention", attention, "window", {"64", "512", "2048", "4096"});
  }
  return runs;
}

std::vector<Run> traffic_runs() {
  std::vector<Run> runs;
  add(runs, "memory_bound", {}, "nbytes", kBytes);
  for (const std::string kind : {"alltoall", "allgather", "reducescatter", "allreduce", "p2p"}) {
    for (const std::string ranks : {"2", "8", "64"}) {
      add(runs, "collective", {{"kind", kind}, {"ranks", ranks}}, "bytes_per_rank", kBytes);
    }
  }
  for (const std::string law : {"dispatch", "combine"}) {
    for (const std::string backend : {"deepep",
                                      "deepep_v2",
                                      "deepep-ll",
                                      "hybridep",
                                      "nccl",
                                      "trtllm-one-sided",
                                      "trtllm-two-sided"}) {
      for (const std::string ep : {"4", "8", "64"}) {
        const Arguments call = {{"backend", backend},
                                {"tokens", "4096"},
                                {"hidden", "4096"},
                                {"topk", "8"},
                                {"experts", "256"},
                                {"ep", ep}};
        add(runs, law, call, "tokens", kTokens);
        add(runs, law, call, "hidden", kSizes);
        add(runs, law, call, "topk", {"1", "2", "4", "8", "16"});
        add(runs, law, call, "sms", kSms, Course::falling);
      }
    }
  }
  return runs;
}

void check(const Table& table, const std::vector<Run>& runs) {
  for (const Chip& chip : table.chips) {
    for (const Run& run : runs) {
      const bool rising = run.course == Course::rising;
      double before = rising ? 0 : 1e9;
      for (const std::string& value : run.values) {
        const double now = seconds(table, chip.name, run, value);
        const bool good = rising ? now >= before * (1 - 1e-12) : now <= before * (1 + 1e-12);
        if (!good) {
          FAIL_CHECK(chip.name << ": " << run.law << " at " << run.name << "=" << value << " takes "
                               << now << " s, before " << before << " s; first argument "
                               << (run.rest.empty() ? "" : run.rest.front().text));
        }
        before = now;
      }
    }
  }
}

}  // namespace

TEST_CASE("kernels: a larger shape is never faster, more SMs are never slower") {
  check(compiled_table(), kernel_runs());
}

TEST_CASE("traffic: more bytes are never faster, more SMs are never slower") {
  check(compiled_table(), traffic_runs());
}

}  // namespace epwise::cost
