// A crash of ours in one of several files: the others are linted, the report is written in every
// format, and the run ends with 70. (unit/base/crash_guard_test.cc tests the guard itself.)

#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/os/crash_guard.h"
#include "support/app_run.h"

namespace epwise {

namespace {

using support::MemoryFiles;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

constexpr int kInternal = 70;
const std::string kSentence =
    "internal error in b.yaml: segmentation fault (signal 11); please report it with the file";

/// Reading some of them is a crash.
class CrashingFiles : public MemoryFiles {
 public:
  CrashingFiles() {
    for (const char* name : {"a.yaml", "b.yaml", "c.yaml", "d.yaml"}) {
      put(name, "model: {num_layers: 4, num_attention_heads: 16, tensor_model_parallel_size: 3}\n");
    }
  }

  std::string read(const std::string& path, std::size_t limit) const override {
    if (path == "b.yaml") {
      ::raise(SIGSEGV);
    }
    if (path == "d.yaml" && overflows) {
      return std::to_string(deep(1 << 30));
    }
    return MemoryFiles::read(path, limit);
  }

  bool overflows = false;

 private:
  static int deep(int left) {
    volatile char frame[1024] = {};
    frame[0] = static_cast<char>(left);
    return left == 0 ? 0 : deep(left - 1) + frame[0];
  }
};

struct Ended {
  int code = 0;
  std::string out;
  std::string err;
};

Ended run(CrashingFiles& files, const Words& words) {
  os::install_crash_guard("epwise", kInternal);
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const support::MemoryVariables variables;
  const support::GivenDevices devices;
  cli::App app({in, out, err, files, variables, {}, devices});
  const int code = app.run(words);
  return {code, out.str(), err.str()};
}

bool no_guard() {
  os::install_crash_guard("epwise", kInternal);
  return !os::has_crash_guard();  // under the address sanitizer
}

}  // namespace

TEST_CASE("A crash in one file leaves the reports of the others, in every format" *
          doctest::skip(no_guard())) {
  for (const std::string jobs : {"1", "3"}) {
    for (const std::string format :
         {"full", "concise", "json", "sarif", "github", "gitlab", "markdown", "junit", "rdjson"}) {
      CAPTURE(jobs);
      CAPTURE(format);
      CrashingFiles files;
      const Ended ended = run(
          files, {"lint", "a.yaml", "b.yaml", "c.yaml", "d.yaml", "-j", jobs, "--format", format});
      CHECK(ended.code == kInternal);
      CHECK((ended.out + ended.err).find(kSentence) != std::string::npos);
      for (const char* name : {"a.yaml", "c.yaml", "d.yaml"}) {
        CHECK(ended.out.find(name) != std::string::npos);
      }
    }
  }
}

TEST_CASE("Formats that go to files are written too, and name the file" *
          doctest::skip(no_guard())) {
  CrashingFiles files;
  const Ended ended = run(files,
                          {"gate",
                           "a.yaml",
                           "b.yaml",
                           "c.yaml",
                           "-f",
                           "json=r.json",
                           "-f",
                           "junit=r.xml",
                           "-f",
                           "sarif=r.sarif",
                           "--receipt",
                           "receipt.json"});
  CHECK(ended.code == kInternal);
  CHECK(ended.err.find(kSentence) != std::string::npos);
  const Json report = Json::parse(files.MemoryFiles::read("r.json"));
  CHECK(report["summary"]["exit_code"] == kInternal);
  CHECK(report["unreadable"] == Json::array({kSentence}));
  CHECK(report["files"].size() == 2);
  const Json sarif = Json::parse(files.MemoryFiles::read("r.sarif"));
  CHECK(sarif["runs"][0]["invocations"][0]["exitCode"] == kInternal);
  CHECK(sarif["runs"][0]["invocations"][0]["executionSuccessful"] == false);
  CHECK(files.MemoryFiles::read("r.xml").find(kSentence) != std::string::npos);
  CHECK(Json::parse(files.MemoryFiles::read("receipt.json"))["exit_code"] == kInternal);
}

TEST_CASE("So does a file on which the stack is used up" * doctest::skip(no_guard())) {
  for (const std::string jobs : {"1", "3"}) {
    CrashingFiles files;
    files.overflows = true;
    const Ended ended =
        run(files, {"lint", "a.yaml", "c.yaml", "d.yaml", "-j", jobs, "--format", "json"});
    CHECK(ended.code == kInternal);
    CHECK(Json::parse(ended.out)["files"].size() == 2);
    CHECK(ended.err.find("internal error in d.yaml: segmentation fault") != std::string::npos);
  }
}

TEST_CASE("Fixes of the other files are written" * doctest::skip(no_guard())) {
  CrashingFiles files;
  const Ended ended = run(files, {"lint", "--fix", "a.yaml", "b.yaml"});
  CHECK(ended.code == kInternal);
}

}  // namespace epwise
