// The file: what is written is read again, and what is damaged is refused with its place.

#include "calibrate/file/calibration.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::calibrate {

namespace {

Calibration sample() {
  Calibration calibration;
  calibration.created = "2026-11-22T11:15:00Z";
  calibration.tool = "0.1.0";
  calibration.backend = "replay";
  calibration.hw = "h200";
  calibration.host = "x86";
  calibration.mode = "quick";
  calibration.planned = 2;
  calibration.environment.device.name = "NVIDIA \"H200\"";
  calibration.environment.device.sms = 132;
  calibration.environment.software = {{"driver", "580.65"}, {"nccl", "2.28.9"}};
  calibration.subject.shape.tokens = 4096;
  Point point;
  point.request.id = "pair.k16";
  point.request.work.kernel = Kernel::grouped_gemm;
  point.request.work.shape.m = 128;
  point.request.work.stage = Stage::weight_gradient;
  point.request.beside = Work{};
  point.request.beside->kernel = Kernel::dispatch;
  point.request.beside->sms = 16;
  point.request.beside->pace = 4.5e11;
  point.request.scope = Scope::domain;
  point.status = PointStatus::measured;
  point.time = {1.5e-3, 1.4e-3, 1.6e-3, 1.3e-3, 1.8e-3, 1.2e-3, 0.03, 24, 1, 2};
  point.beside_time = point.time;
  point.flags = {"drift", "noisy"};
  point.check = {Check::Result::passed, "bitwise", 0, 0, ""};
  point.slowest_rank = 3;
  point.skew = 0.02;
  calibration.points.push_back(point);
  Point missing;
  missing.request.id = "host.launch";
  missing.request.work.kernel = Kernel::launch;
  missing.reason = "no GPU: \"here\"";
  calibration.points.push_back(missing);
  Fit fit;
  fit.id = "all_to_all";
  fit.form = "message_line";
  fit.names = {"alpha_us", "rate_gbs"};
  fit.values = {12.5, 283};
  fit.covariance = {{0.01, -0.001}, {-0.001, 0.0004}};
  fit.range["bytes"] = {65536, 1e9};
  fit.residual = {0.01, 0.02, "all_to_all.b65536", 12, 10};
  fit.flags = {"poor"};
  calibration.fits.push_back(fit);
  calibration.constants.push_back({"host_x86", 6.5e-5, 0.05, "5 measured steps"});
  calibration.warnings = {"one GPU"};
  return calibration;
}

std::vector<std::string> complaints(const std::string& text) {
  const text::SourceFile file("c.yaml", text);
  std::vector<text::Diagnostic> problems;
  const auto read = read_calibration(file, problems);
  CHECK(read.has_value() == problems.empty());
  std::vector<std::string> lines;
  for (const text::Diagnostic& problem : problems) {
    lines.push_back(std::to_string(problem.mark.start().line) + ": " + problem.message);
  }
  return lines;
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = to_yaml(sample());
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

}  // namespace

TEST_CASE("what is written is read again, byte for byte") {
  const std::string text = to_yaml(sample());
  const text::SourceFile file("c.yaml", text);
  std::vector<text::Diagnostic> problems;
  const auto read = read_calibration(file, problems);
  for (const text::Diagnostic& problem : problems) {
    FAIL_CHECK(problem.message);
  }
  REQUIRE(read);
  CHECK(to_yaml(*read) == text);
  CHECK(read->points.at(0).request.work == sample().points[0].request.work);
  CHECK(read->points.at(0).request.beside == sample().points[0].request.beside);
  CHECK(read->points.at(1).reason == "no GPU: \"here\"");
  CHECK(read->fit("all_to_all")->relative_sd("rate_gbs") == doctest::Approx(0.02));
  CHECK(read->environment.software.at("nccl") == "2.28.9");
}

TEST_CASE("a file states how many points its run planned, or does not") {
  Calibration calibration = sample();
  CHECK(to_yaml(calibration).find("\nplanned_points: 2\n") != std::string::npos);
  CHECK(calibration.unreached() == 0);
  calibration.planned = 163;
  CHECK(calibration.unreached() == 161);
  calibration.points[0].status = PointStatus::imported;
  CHECK(calibration.unreached() == 162);
  calibration.planned = 0;
  CHECK(calibration.unreached() == 0);
  CHECK(to_yaml(calibration).find("planned") == std::string::npos);
}

TEST_CASE("damaged files are refused with the place") {
  struct Row {
    std::string from;
    std::string to;
    std::string complaint;  // part of it
  };

  const std::vector<Row> rows = {
      {"epwise.calibration/1",
       "epwise.calibration/2",
       "this version cannot read `epwise.calibration/2`"},
      {"schema: epwise.calibration/1\n", "", "has no `schema`"},
      {"\npoints:", "\npionts:", "unknown key `pionts`"},
      {"median: 1500", "median: 1700", "is outside"},
      {"median: 1500", "median: .nan", "`median`"},
      {"median: 1500", "median: fast", "`median`"},
      {"kernel: grouped_gemm", "kernel: grouped", "`grouped` is not a known kernel"},
      {"dtype: bf16", "dtype: bf17", "unknown dtype `bf17`, did you mean `bf16`"},
      {"status: measured", "status: guessed", "`guessed` is not a status"},
      {"status: measured", "status: not_measured", "has no `reason`"},
      {"    reason: \"no GPU: \\\"here\\\"\"\n", "", "has no `reason`"},
      {"id: \"host.launch\"", "id: \"pair.k16\"", "duplicate `pair.k16`"},
      {"result: passed", "result: failed", "a point with a failed check cannot be measured"},
      {"- [0.01, -0.001]", "- [0.01]", "`covariance` of 2 parameters"},
      {"- [0.01, -0.001]", "- [-1, -0.001]", "`-1` is not a covariance"},
      {"bytes: [65536, 1e+09]", "bytes: [1e+09, 65536]", "needs [low, high]"},
      {"host_x86: {value", "host_x87: {value", "no constant `host_x87`"},
      {"m: 128", "m: 128.5", "whole number"},
      {"m: 128", "m: -1", "`m` must be a number"},
      {"warnings:", "warnings: [\n", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.to);
    const std::vector<std::string> found = complaints(changed(row.from, row.to));
    REQUIRE(!found.empty());
    const bool told = std::any_of(found.begin(), found.end(), [&row](const std::string& line) {
      return line.find(row.complaint) != std::string::npos;
    });
    CHECK_MESSAGE(told, found.front());
  }
}

TEST_CASE("every cut through a file is refused, and none crashes") {
  const std::string text = to_yaml(sample());
  for (std::size_t size = 0; size < text.find("warnings:"); size += 7) {
    CAPTURE(size);
    // A cut between two sections may leave a file that lacks only what may be missing.
    const std::vector<std::string> found = complaints(text.substr(0, size));
    if (size < text.find("fits:")) {
      CHECK(!found.empty());
    }
  }
}

TEST_CASE("the user's own keys pass") {
  CHECK(complaints(changed("backend:", "x_note: [mine, 2]\nbackend:")).empty());
}

}  // namespace epwise::calibrate
