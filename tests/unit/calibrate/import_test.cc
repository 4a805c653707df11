#include "calibrate/import/import.h"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "calibrate/fits/fits.h"
#include "calibrate/quantities.h"
#include "perf/cost/compiled_table.h"
#include "support/evidence.h"

namespace epwise::calibrate {

namespace {

struct Outcome {
  Imported imported;
  std::vector<std::string> problems;
};

Outcome import_text(const std::string& name,
                    const std::string& text,
                    ImportSettings settings = {}) {
  const text::SourceFile file(name, text);
  std::vector<text::Diagnostic> problems;
  Outcome outcome;
  outcome.imported = import_timings(file, settings, problems);
  for (const text::Diagnostic& problem : problems) {
    outcome.problems.push_back(std::to_string(problem.mark.start().line) + ": " + problem.message);
  }
  return outcome;
}

constexpr const char* kNccl =
    R"(# nThread 1 nGpus 1 minBytes 1048576 maxBytes 33554432 step: 32(factor)
#  Rank  0 Group  0 Pid   100 on      node1 device  0 [0x19] Made-up H100
#  Rank  1 Group  0 Pid   101 on      node1 device  1 [0x3b] Made-up H100
#  Rank  2 Group  0 Pid   102 on      node2 device  0 [0x19] Made-up H100
#  Rank  3 Group  0 Pid   103 on      node2 device  1 [0x3b] Made-up H100
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576         65536     float    none      -1    41.70   25.15   18.86      0    41.20   25.45   19.09    N/A
    33554432       2097152     float    none      -1    612.0   54.83   41.12      0    611.1   54.91   41.18    N/A
# Out of bounds values : 0 OK
)";

constexpr const char* kDeepEp = R"([config] num_tokens=4096, hidden=7168, num_topk=8
[layout] Kernel performance: 0.041 ms
[tuning] SMs 24, NVL chunk 4: 300.11 GB/s (NVL), 512.00 us
[tuning] Best dispatch (FP8): SMs 24, NVL chunk 24, 318.20 GB/s (NVL), t: 494.31 us
[tuning] Best dispatch (BF16): SMs 24, NVL chunk 28, 322.00 GB/s (NVL), t: 950.70 us
[tuning] Best combine: SMs 24, NVL chunk 4: 318.87 GB/s (NVL), t: 961.30 us
)";

}  // namespace

TEST_CASE("nccl-tests: sizes, times, ranks and hosts") {
  const Outcome outcome = import_text("alltoall.log", kNccl, {"h100", 0});
  CHECK(outcome.problems.empty());
  REQUIRE(outcome.imported.points.size() == 2);
  const Point& point = outcome.imported.points[1];
  CHECK(point.request.work.kernel == Kernel::all_to_all);
  CHECK(point.request.work.shape.bytes == 33554432);
  CHECK(point.request.work.shape.ranks == 4);
  CHECK(point.request.scope == Scope::nodes);
  CHECK(point.time.median == doctest::Approx(612e-6));
  CHECK(point.status == PointStatus::imported);
  const Outcome unnamed = import_text("out.log", kNccl);
  REQUIRE(unnamed.problems.size() == 1);
  CHECK(unnamed.problems[0].find("does not name the collective") != std::string::npos);
}

TEST_CASE("DeepEP's tests: the best of each kind, with its sizes") {
  const Outcome outcome = import_text("deepep.log", kDeepEp, {"h100", 8});
  CHECK(outcome.problems.empty());
  REQUIRE(outcome.imported.points.size() == 3);
  const Work& work = outcome.imported.points[1].request.work;
  CHECK(work.kernel == Kernel::dispatch);
  CHECK(work.structure == Structure::staged);
  CHECK(work.sms == 24);
  CHECK(work.shape.tokens == 4096);
  CHECK(work.shape.ranks == 8);
  CHECK(outcome.imported.points[1].time.median == doctest::Approx(950.7e-6));
  CHECK(!import_text("deepep.log", kDeepEp).problems.empty());  // on how many ranks?
  const cost::Table laws = cost::compiled_table();
  Calibration calibration;
  calibration.hw = "h100";
  add_points(outcome.imported.points, calibration);
  add_points(outcome.imported.points, calibration);
  CHECK(calibration.points.size() == 3);
  for (const Quantity& quantity : quantities_of(calibration, laws, "h100")) {
    if (quantity.constant == "flex_nvlink") {
      CHECK(quantity.measured);
      CHECK(quantity.value > 0.7);
      CHECK(quantity.value < 1.4);
    }
  }
}

TEST_CASE("DeepEP's older tests tell rates, and no times") {
  const Outcome outcome = import_text(
      "deepep.log",
      "[config] num_tokens=4096, hidden=7168, num_topk_groups=2, num_topk=8\n"
      "[tuning] SMs 24, NVL chunk 4, RDMA chunk 4: 30.10 GB/s (RDMA), 98.20 GB/s (NVL) \n"
      "[tuning] Best dispatch (FP8): SMs 24, NVL chunk 12, RDMA chunk 32: 42.36 GB/s (RDMA), "
      "138.25 GB/s (NVL)\n",
      {"h100", 16});
  CHECK(outcome.problems.empty());
  REQUIRE(outcome.imported.points.size() == 1);
  const Point& point = outcome.imported.points[0];
  CHECK(point.request.scope == Scope::nodes);
  CHECK(point.request.work.sms == 24);
  const double bytes = point.payload_bytes * (1 + 4.0 / 128);
  CHECK(bytes / point.time.median == doctest::Approx(138.25e9));
}

TEST_CASE("DeepEP's newer test: sizes from its own words, the slowest rank of each case") {
  const Outcome outcome = import_text(
      "ep.log",
      "Config:\n > Ranks: 1 x 2\n > Experts: 8/256\n > Tokens: 4095 (max: 4096), hidden: 7168\n"
      " > #SM: 24, #QPs: 17/129\n > Mode: baseline\nRunning all test cases:\n"
      " > Testing with do_handle_copy=1, expert_alignment=128, use_fp8_dispatch=1, num_bias=0 ...\n"
      "   * EP:   0/  2 | dispatch: 0 GB/s (SO), 640 GB/s (SU), 512.300 us, 327 bytes | copy: 9 "
      "GB/s, "
      "80.100 us\n"
      "   * EP:   1/  2 | dispatch: 0 GB/s (SO), 630 GB/s (SU), 521.700 us, 327 bytes | copy: 9 "
      "GB/s, "
      "81.000 us\n"
      "   # EP:   1/  2 | cached dispatch: 0 GB/s (SO), 630 GB/s (SU), 600.000 us, 327 bytes | "
      "copy: 9 "
      "GB/s, 81.000 us\n"
      "   @ EP:   0/  2 | combine: 0 GB/s (SO), 700 GB/s (SU), 950.000 us, 650 bytes | reduce: 9 "
      "GB/s, "
      "99.000 us\n"
      " > Testing with do_handle_copy=1, expert_alignment=128, use_fp8_dispatch=0, num_bias=0 ...\n"
      "   * EP:   0/  2 | dispatch: 0 GB/s (SO), 640 GB/s (SU), 1001.500 us, 650 bytes | copy: 9 "
      "GB/s, "
      "80.100 us\n");
  CHECK(outcome.problems.empty());
  REQUIRE(outcome.imported.points.size() == 3);
  std::map<std::string, double> micros;
  for (const Point& point : outcome.imported.points) {
    const Work& work = point.request.work;
    CHECK(work.structure == Structure::direct);
    CHECK(work.sms == 24);
    CHECK(work.shape.tokens == 4096);
    CHECK(work.shape.hidden == 7168);
    CHECK(work.shape.topk == 8);
    CHECK(work.shape.experts == 256);
    CHECK(work.shape.ranks == 2);
    CHECK(point.request.scope == Scope::domain);
    const bool fp8 = work.format != cost::Format::bf16;
    micros[std::string(to_string(work.kernel)) + (fp8 ? " fp8" : "")] = point.time.median * 1e6;
  }
  CHECK(micros["dispatch fp8"] == doctest::Approx(521.7));
  CHECK(micros["dispatch"] == doctest::Approx(1001.5));
  CHECK(micros["combine"] == doctest::Approx(950));
}

namespace {

/// Two ranks; numbers made up, words as HybridEP's test prints them.
std::string hybrid_log(const std::string& sizes, const std::string& megabytes) {
  std::string log = sizes;
  for (const char* const format : {"BF16", "FP8"}) {
    const bool fp8 = format == std::string("FP8");
    for (const int rank : {0, 1}) {
      const std::string name = "[rank " + std::to_string(rank) + "] HybridEP ";
      const std::string kernel = fp8 ? (rank == 0 ? "250.10" : "245.00") : "420.10";
      log += name + "dispatch torch API (" + format + "): 512.34 GB/s (NVL), t: 603.12 us, " +
             "nvl_recv_bytes: " + megabytes + " MB\n";
      log +=
          name + "combine torch API: 480.00 GB/s (NVL), t: 640.00 us, combine_send_bytes: 1 MB\n";
      log += name + "dispatch kernel(NVL) (" + format + "): 735.00 GB/s, avg_t=" + kernel +
             " us | " +
             "HybridEP combine kernel(NVL): 674.10 GB/s, avg_t=" + (fp8 ? "999.00" : "458.30") +
             " us\n";
    }
  }
  return log;
}

}  // namespace

TEST_CASE("HybridEP's test: the kernels of the slowest rank, sizes by its environment") {
  // 16 experts on 2 ranks, 8 of them for a token: all but one in 6,435 tokens go to both.
  const Outcome outcome = import_text("hybrid.log", hybrid_log("", "117.43"), {"h100", 0});
  CHECK(outcome.problems.empty());
  REQUIRE(outcome.imported.points.size() == 3);
  std::map<std::string, double> micros;
  for (const Point& point : outcome.imported.points) {
    const Work& work = point.request.work;
    CHECK(work.structure == Structure::pipelined);
    CHECK(work.sms == 24);
    CHECK(work.shape.tokens == 4096);
    CHECK(work.shape.hidden == 7168);
    CHECK(work.shape.experts == 16);
    CHECK(work.shape.ranks == 2);
    CHECK(point.request.scope == Scope::domain);
    const bool fp8 = work.format != cost::Format::bf16;
    micros[std::string(to_string(work.kernel)) + (fp8 ? " fp8" : "")] = point.time.median * 1e6;
  }
  CHECK(micros["dispatch"] == doctest::Approx(420.1));
  CHECK(micros["dispatch fp8"] == doctest::Approx(250.1));
  CHECK(micros["combine"] == doctest::Approx(458.3));  // the first pass'
}

TEST_CASE("HybridEP's test: sizes that the bytes contradict are asked for") {
  const std::string smaller = "8.39";  // 1024 tokens of 2048 channels
  const Outcome silent = import_text("hybrid.log", hybrid_log("", smaller), {"h100", 0});
  CHECK(silent.imported.points.empty());
  REQUIRE(silent.problems.size() == 1);
  CHECK(silent.problems[0].find("received 8 MB") != std::string::npos);
  const Outcome told = import_text(
      "hybrid.log",
      hybrid_log("+ HIDDEN_DIM=2048 NUM_TOKENS_PER_RANK=1024 NUM_SMS=16 python test_hybrid_ep.py\n",
                 smaller),
      {"h100", 0});
  CHECK(told.problems.empty());
  REQUIRE(told.imported.points.size() == 3);
  CHECK(told.imported.points[0].request.work.shape.hidden == 2048);
  CHECK(told.imported.points[0].request.work.sms == 16);
}

TEST_CASE("HybridEP's test: across domains, and without the kernels' times") {
  std::string log = hybrid_log("", "117.43");
  log +=
      "[rank 0] HybridEP dispatch kernel(IB) (BF16): 45.00 GB/s, avg_t=500.00 us | HybridEP "
      "combine kernel(IB): 44.00 GB/s, avg_t=470.00 us\n";
  const Outcome across = import_text("hybrid.log", log, {"h100", 0});
  REQUIRE(across.imported.points.size() == 3);
  CHECK(across.imported.points[0].request.scope == Scope::nodes);
  CHECK(across.imported.points[0].request.work.sms == 8);
  const Outcome calls =
      import_text("hybrid.log",
                  "[rank 0] HybridEP dispatch torch API (BF16): 512.34 GB/s (NVL), t: 603.12 us, "
                  "nvl_recv_bytes: 117.43 MB\n");
  REQUIRE(calls.problems.size() == 1);
  CHECK(calls.problems[0].find("complete calls") != std::string::npos);
}

TEST_CASE("CSV and JSON lines") {
  const Outcome csv = import_text("a.csv",
                                  "kind,dtype,m,n,k,us\n"
                                  "gemm,bf16,4096,4096,4096,190\n"
                                  "attention,bf16,1,1,1,5\n"
                                  "gemm,bf16,4096,4096\n");
  CHECK(csv.imported.points.size() == 1);
  CHECK(csv.imported.passed_over == 1);
  REQUIRE(csv.problems.size() == 1);
  CHECK(csv.problems[0] == "4: this row has 4 cells, the header has 6");
  const Outcome json = import_text(
      "rows.jsonl",
      "{\"kind\": \"alltoall\", \"hw\": \"b200\", \"ep\": 8, \"nodes\": 1, \"latency_us\": 89, "
      "\"shape\": {\"bytes\": 33554432}}\n"
      "{\"kind\": \"alltoall\", \"hw\": \"h100\", \"ep\": 8, \"latency_us\": 125, \"shape\": "
      "{\"bytes\": 33554432}}\n"
      "{\"kind\": \"alltoall\", \n");
  CHECK(json.imported.hw == "b200");
  CHECK(json.imported.points.size() == 1);
  CHECK(json.imported.passed_over == 1);
  CHECK(json.problems == std::vector<std::string>{"3: not a JSON object"});
}

TEST_CASE("what is no file of timings is refused") {
  CHECK(import_text("a.txt", "hello\n").problems.size() == 1);
  CHECK(import_text("a.txt", "").problems.size() == 1);
}

TEST_CASE("the shared table of kernel timings") {
  const os::DiskFiles files;
  if (!support::has_evidence("facts/micro_rows.jsonl")) {
    return;
  }
  const std::string path = support::evidence("facts/micro_rows.jsonl");
  const text::SourceFile file("micro_rows.jsonl", files.read(path));
  std::vector<text::Diagnostic> problems;
  const Imported imported = import_timings(file, {"h100", 0}, problems);
  CHECK(problems.empty());
  CHECK(imported.points.size() > 200);
  const cost::Table laws = cost::compiled_table();
  Calibration calibration;
  calibration.hw = "h100";
  add_points(imported.points, calibration);
  // The cost laws were fitted to these rows: measured over law is near 1.
  for (const Quantity& quantity : quantities_of(calibration, laws, "h100")) {
    const bool told = quantity.constant == "flex_nvlink" || quantity.constant == "gemm_hopper" ||
                      quantity.constant == "alltoall_nvlink";
    if (told) {
      CAPTURE(quantity.constant);
      CHECK(quantity.measured);
      CHECK(quantity.value > 0.85);
      CHECK(quantity.value < 1.15);
    }
  }
  CHECK(!fit_all(calibration).empty());
}

}  // namespace epwise::calibrate
