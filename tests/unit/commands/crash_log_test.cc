#include "commands/explain/crash_log.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace epwise::audit {
namespace {

std::vector<Crash> crashes_in(std::string_view log) {
  return read_crashes(log).crashes;
}

TEST_CASE("a traceback gives its frames, the exception and the whole message") {
  const auto crashes = crashes_in(
      "starting\n"
      "[rank3]: Traceback (most recent call last):\n"
      "[rank3]:   File \"/opt/x/megatron/training/arguments.py\", line 843, in validate_args\n"
      "[rank3]:     assert a, \\\n"
      "[rank3]: AssertionError: first half\n"
      "second half\n"
      "\n"
      "done\n");
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].frames.size() == 1);
  CHECK(crashes[0].frames[0].path == "/opt/x/megatron/training/arguments.py");
  CHECK(crashes[0].frames[0].line == 843);
  CHECK(crashes[0].frames[0].function == "validate_args");
  CHECK(crashes[0].exception == "AssertionError");
  CHECK(crashes[0].message == "first half second half");
  CHECK(crashes[0].line == 5);
  CHECK(crashes[0].code == "assert a, \\");
  CHECK(crashes[0].ranks == std::vector{3});
}

TEST_CASE("a traceback copied without its indentation is one") {
  const auto crashes = crashes_in(
      "File \"verl/utils/megatron_utils.py\", line 435, in offload_megatron_model_to_cpu\n"
      "    raise ValueError(\"inner\")\n"
      "torch.AcceleratorError: CUDA error: invalid argument\n");
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].kind == Crash::Kind::raised);
  CHECK(crashes[0].exception == "AcceleratorError");
  CHECK(crashes[0].frames.size() == 1);
}

TEST_CASE("what a kernel printed comes before the trap that the next call reports") {
  const auto crashes = crashes_in(
      "Assertion failed: /opt/DeepEP/csrc/kernels/internode.cu:463, condition: a == b\n"
      "Assertion failed: /opt/DeepEP/csrc/kernels/internode.cu:463, condition: a == b\n"
      "[rank5]: Traceback (most recent call last):\n"
      "[rank5]:   File \"deep_ep/buffer.py\", line 313, in dispatch\n"
      "[rank5]: RuntimeError: CUDA error: unspecified launch failure\n");
  REQUIRE(crashes.size() == 2);
  CHECK(crashes[0].message ==
        "Assertion failed: /opt/DeepEP/csrc/kernels/internode.cu:463, condition: a == b");
  CHECK(crashes[0].times == 2);
  CHECK(crashes[1].kind == Crash::Kind::aftermath);
}

TEST_CASE("threads of a kernel that say the same are one error") {
  const auto crashes = crashes_in(
      "/aten/Indexing.cu:15: gather: block: [4,0,0], thread: [9,0,0] Assertion `i < n` failed.\n"
      "/aten/Indexing.cu:15: gather: block: [4,0,0], thread: [10,0,0] Assertion `i < n` failed.\n"
      "DeepEP dispatch NVL receiver timeout, channel: 3, RDMA: 1, nvl: 7\n"
      "DeepEP dispatch NVL receiver timeout, channel: 4, RDMA: 1, nvl: 7\n");
  REQUIRE(crashes.size() == 2);
  CHECK(crashes[0].message == "Assertion `i < n` failed. (/aten/Indexing.cu:15: gather)");
  CHECK(crashes[0].times == 2);
  CHECK(crashes[1].message == "DeepEP dispatch NVL receiver timeout");
  CHECK(trouble_in("python3: permute.cu:41: void f(int): Assertion `n > 0' failed.") ==
        std::nullopt);
}

TEST_CASE("an error may be mentioned without a traceback") {
  struct Row {
    const char* line;
    const char* exception;
    const char* message;
  };

  for (const auto& row : std::vector<Row>{
           {"AssertionError: too few ranks", "AssertionError", "too few ranks"},
           {"AssertionError", "AssertionError", ""},
           {"[rank7]: ValueError: no", "ValueError", "no"},
           {"2026-11-02 10:11:12,345 ERROR [default0]:a.b.ConfigError: no", "ConfigError", "no"},
           {"  3: torch.OutOfMemoryError: CUDA out of memory.",
            "OutOfMemoryError",
            "CUDA out of memory."},
           {"slurmstepd: error: Detected 1 oom_kill event in step 7.0",
            "",
            "slurmstepd: error: Detected 1 oom_kill event in step 7.0"},
       }) {
    CAPTURE(row.line);
    const auto crashes = crashes_in(std::string("start\n") + row.line + "\n");
    REQUIRE(crashes.size() == 1);
    CHECK(crashes[0].kind == Crash::Kind::mentioned);
    CHECK(crashes[0].exception == row.exception);
    CHECK(crashes[0].message == row.message);
    CHECK(crashes[0].line == 2);
  }
}

TEST_CASE("ranks that write in turns are told apart") {
  const auto crashes = crashes_in(
      "[rank0]: Traceback (most recent call last):\n"
      "[rank3]: Traceback (most recent call last):\n"
      "[rank0]:   File \"a.py\", line 1, in f\n"
      "[rank3]:   File \"b.py\", line 2, in g\n"
      "[rank0]:     raise ValueError\n"
      "[rank3]:     check(x)\n"
      "[rank3]: KeyError: 'x'\n"
      "[rank0]: ValueError: one\n"
      "[rank3]: and unrelated\n"
      "[rank0]: two\n");
  REQUIRE(crashes.size() == 2);
  CHECK(crashes[0].message == "'x' and unrelated");
  CHECK(crashes[0].frames.back().path == "b.py");
  CHECK(crashes[1].message == "one two");
  CHECK(crashes[1].frames.back().path == "a.py");
  CHECK(crashes[1].code == "raise ValueError");
}

TEST_CASE("what follows from another error stands behind it") {
  const auto log = read_crashes(
      "[rank1]:[E1121 10:00:00.1 ProcessGroupNCCL.cpp:6] Watchdog caught collective operation "
      "timeout: x\n"
      "[rank1]: torch.distributed.DistBackendError: lost\n"
      "[rank0]: Traceback (most recent call last):\n"
      "[rank0]:   File \"a.py\", line 1, in f\n"
      "[rank0]: RuntimeError: first told\n"
      "[rank2]: Traceback (most recent call last):\n"
      "[rank2]:   File \"b.py\", line 1, in f\n"
      "[rank2]: ValueError: first seen\n"
      "Root Cause (first observed failure):\n"
      "[0]:\n"
      "  time      : 2026-11-21_10:00:01\n"
      "  host      : node1\n"
      "  rank      : 2 (local_rank: 2)\n"
      "  exitcode  : 1 (pid: 4711)\n"
      "  error_file: <N/A>\n");
  REQUIRE(log.crashes.size() == 4);
  CHECK(log.crashes[0].message == "first seen");
  CHECK(log.crashes[1].message == "first told");
  CHECK(log.crashes[2].kind == Crash::Kind::aftermath);
  CHECK(log.crashes[3].kind == Crash::Kind::aftermath);
  REQUIRE(log.first_failure);
  CHECK(log.first_failure->rank == 2);
  CHECK(log.first_failure->exit_code == 1);
}

TEST_CASE("what Python ignores is only mentioned") {
  const auto crashes = crashes_in(
      "Exception ignored in: <function f>\n"
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in f\n"
      "TypeError: late\n"
      "job 7: ended: ValueError: no\n"
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in f\n"
      "KeyError: 'x'\n");
  REQUIRE(crashes.size() == 3);
  CHECK(crashes[0].exception == "KeyError");
  CHECK(crashes[1].kind == Crash::Kind::mentioned);
  CHECK(crashes[2].message == "no");
}

TEST_CASE("ranks that tell the same are counted") {
  std::string text;
  for (const char* rank : {"2", "0", "1"}) {
    text += std::string("[rank") + rank + "]: Traceback (most recent call last):\n[rank" + rank +
            "]:   File \"a.py\", line 1, in f\n[rank" + rank + "]: ValueError: no\n";
  }
  const auto crashes = crashes_in(text);
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].times == 3);
  CHECK(crashes[0].ranks == std::vector{0, 1, 2});
}

TEST_CASE("ranks that tell the same count once, chained errors each") {
  const char* one =
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in f\n"
      "KeyError: 'x'\n"
      "\n"
      "During handling of the above exception, another exception occurred:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 3, in g\n"
      "a.b.ConfigError: no\n";
  const auto crashes = crashes_in(std::string(one) + one);
  REQUIRE(crashes.size() == 2);
  CHECK(crashes[0].exception == "KeyError");
  CHECK(crashes[1].exception == "ConfigError");
}

TEST_CASE("argparse complains without a traceback") {
  const auto crashes = crashes_in(
      "usage: x [-h]\npretrain_gpt.py: error: argument --num-layers: invalid int value: 'a'\n");
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].frames.empty());
  CHECK(crashes[0].message == "argument --num-layers: invalid int value: 'a'");
  CHECK(crashes[0].kind == Crash::Kind::refused);
  CHECK(crashes_in("unrecognized arguments: --x\n").size() == 1);
  CHECK(
      crashes_in("[default0]:x.py: error: ambiguous option: --x could match --xa, --xb\n").size() ==
      1);
  CHECK(crashes_in("an argument -- any\nwe print error: nothing\n").empty());
}

TEST_CASE("a traceback without its last line counts if nothing else does") {
  const std::string_view cut =
      "[rank2]:   File \"a.py\", line 3, in main\n[rank2]:     f(\n"
      "[rank2]:   File \"b.py\", line 4, in f\n[rank2]:     g(\n";
  const auto crashes = crashes_in(cut);
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].kind == Crash::Kind::cut);
  CHECK(crashes[0].frames.size() == 2);
  CHECK(crashes[0].line == 3);
  CHECK(crashes[0].ranks == std::vector<int>{2});
  CHECK(crashes_in(std::string(cut) + "ValueError: no\n")[0].kind != Crash::Kind::cut);
  // One frame is a warning's place, and a dump of threads has no word before the function.
  CHECK(crashes_in("  File \"a.py\", line 3, in main\n").empty());
  CHECK(crashes_in("  File \"a.py\", line 3 in f\n  File \"b.py\", line 4 in g\n").empty());
}

TEST_CASE("a log that is none gives nothing, whatever is in it") {
  CHECK(crashes_in("").empty());
  CHECK(crashes_in("Error: disk\nno ValueError: here\n").empty());
  CHECK(crashes_in("Traceback (most recent call last):\n  File \"a\", line x, in y\n").empty());
  CHECK(crashes_in(std::string("File \"\0\xff\", line 99999999999999, in", 35)).empty());
}

}  // namespace
}  // namespace epwise::audit
