#include "commands/explain/troubles.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "commands/explain/crash_log.h"
#include "commands/explain/job_messages.h"
#include "support/app_run.h"
#include "support/example_target.h"

namespace epwise::audit {
namespace {

std::string without_gaps(std::string_view words) {
  std::string text;
  while (!words.empty()) {
    const auto gap = std::min(words.find("..."), words.size());
    text += std::string(words.substr(0, gap));
    words.remove_prefix(std::min(gap + 3, words.size()));
    text += words.empty() ? "" : "7";
  }
  return text;
}

/// The trouble that the first error of a log is; "" for none.
std::string first_trouble(const std::string& log) {
  const auto crashes = read_crashes(log).crashes;
  const auto found = crashes.empty() ? std::nullopt : recognise(crashes.front(), test::knowledge());
  return found ? std::string(found->trouble->name) : "";
}

/// The error of a log that has one.
Crash only_crash(const std::string& log) {
  std::vector<Crash> crashes = read_crashes(log).crashes;
  REQUIRE(crashes.size() == 1);
  return std::move(crashes.front());
}

TEST_CASE("the words of every trouble, in a message of our own, lead to it") {
  CHECK(test::knowledge().tables.troubles->size() >= 14);
  for (const auto& trouble : *test::knowledge().tables.troubles) {
    for (const auto words : trouble.log) {
      CAPTURE(trouble.name);
      CAPTURE(words);
      Crash crash;
      crash.exception = "RuntimeError";
      crash.message = "rank 3 says: " + without_gaps(words) + ", then it ended";
      const auto found = recognise(crash, test::knowledge());
      REQUIRE(found.has_value());
      CHECK(found->trouble == &trouble);
      CHECK(found->words == words);
    }
  }
}

TEST_CASE("the words of every hint are told only where they stand") {
  for (const auto& trouble : *test::knowledge().tables.troubles) {
    if (trouble.log.empty()) {
      continue;  // known by its places
    }
    Crash crash;
    crash.message = without_gaps(trouble.log.front());
    const auto before = recognise(crash, test::knowledge());
    REQUIRE(before.has_value());
    for (const auto& hint : trouble.hints) {
      CAPTURE(trouble.name);
      CAPTURE(hint.says);
      auto with = crash;
      with.frames = {{"/opt/x.py", 7, without_gaps(hint.log.front())}};
      const auto hints = recognise(with, test::knowledge())->hints;
      CHECK(std::ranges::find(hints, hint.says) != hints.end());
    }
    CHECK(before->hints.size() < std::max<std::size_t>(trouble.hints.size(), 1));
  }
}

TEST_CASE("errors as jobs tell them") {
  const std::vector<std::pair<std::string, std::string>> kLogs = {
      {"[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has "
       "a total "
       "capacity of 79.11 GiB of which 1.11 GiB is free.\n",
       "gpu-memory"},
      {"RuntimeError: CUDA error: out of memory\n", "gpu-memory"},
      {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB\n",
       "gpu-memory"},
      {"slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have "
       "been OOM Killed.\n",
       "host-memory"},
      {"[rank0]:[E1122 10:11:12.1 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective "
       "operation timeout: "
       "WorkNCCL(SeqNum=12, OpType=ALLTOALL_BASE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran "
       "for 600029 ms\n",
       "collective-timeout"},
      {"RuntimeError: NCCL error in: /opt/pytorch/x.cpp:7, unhandled system error, "
       "ncclSystemError\n",
       "nccl-error"},
      {"torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n",
       "illegal-access"},
      {"RuntimeError: CUDA error: device-side assert triggered\n", "device-assert"},
      {"AssertionError: Rank 114: found NaN in local forward loss calculation. Device: 2\n",
       "not-a-number"},
      {"RuntimeError: Rank 0: Unexpected result nan (message='found NaN in local grad norm for "
       "bucket #0 in backward pass')\n",
       "not-a-number"},
      {"ModuleNotFoundError: No module named 'deep_ep'\n", "missing-module"},
      {"ImportError: cannot import name 'HybridEPBuffer' from 'deep_ep' "
       "(/opt/deep_ep/__init__.py)\n",
       "missing-module"},
      {"ImportError: /opt/transformer_engine_torch.so: undefined symbol: _ZN3c104cuda\n",
       "broken-build"},
      {"RuntimeError: DeepEP error: timeout (dispatch CPU)\n", "deepep-timeout"},
      {"RuntimeError: CUDA error: operation not permitted when stream is capturing\n",
       "graph-capture"},
      {"OSError: [Errno 28] No space left on device\n", "storage"},
      {"torch.distributed.DistNetworkError: The server socket has failed to listen. EADDRINUSE\n",
       "rendezvous"},
      {"AssertionError: the moon is full\n", ""},
      {"KeyError: 'shared'\n", ""},
  };
  for (const auto& [log, name] : kLogs) {
    const std::string shown = log;
    CAPTURE(shown);
    CHECK(first_trouble(log) == name);
  }
}

TEST_CASE("what follows the words narrows a trouble down") {
  Crash crash;
  crash.exception = "OutOfMemoryError";
  crash.message = "CUDA out of memory. Tried to allocate 1.50 GiB";
  crash.frames = {{"/opt/Megatron-LM/megatron/core/transformer/moe/experts.py", 7, "forward"}};
  const auto found = recognise(crash, test::knowledge());
  REQUIRE(found.has_value());
  REQUIRE(found->hints.size() == 1);
  CHECK(found->hints.front().find("expert layer") != std::string_view::npos);
}

TEST_CASE("a guess at the group is not made where the log names it") {
  const auto hints_of = [](const std::string& more) {
    Crash crash;
    crash.message =
        "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=812, "
        "OpType=ALLTOALL_BASE" +
        more + ", Timeout(ms)=1800000)";
    const auto found = recognise(crash, test::knowledge());
    REQUIRE(found.has_value());
    return found->hints;
  };
  const auto guesses = [](std::string_view hint) {
    return hint.find("or a context-parallel one") != std::string_view::npos;
  };
  CHECK(std::ranges::any_of(hints_of(""), guesses));
  const auto named = hints_of(", PG ID 12 PG GUID 12(EXPERT_MODEL_PARALLEL_GROUP)");
  CHECK(std::ranges::none_of(named, guesses));
  CHECK(!named.empty());
}

TEST_CASE("an error without known words belongs to the innermost part that is known") {
  const std::string log =
      "Traceback (most recent call last):\n"
      "  File \"/opt/megatron/core/transformer/moe/moe_layer.py\", line 300, in forward\n"
      "  File \"/opt/megatron/core/transformer/moe/router.py\", line 71, in gating\n"
      "  File \"/opt/torch/nn/functional.py\", line 9, in linear\n"
      "KeyError: 'nobody knows this'\n";
  CHECK(first_trouble(log) == "in-router");
  CHECK(first_trouble("Traceback (most recent call last):\n"
                      "  File \"/opt/mine.py\", line 3, in main\n"
                      "KeyError: 'nobody knows this'\n")
            .empty());
  auto crash = read_crashes(log).crashes.front();
  CHECK(recognise(crash, test::knowledge())->by_place);
  crash.message = "CUDA out of memory";
  CHECK(recognise(crash, test::knowledge())->trouble->name == "gpu-memory");
  CHECK_FALSE(recognise(crash, test::knowledge())->by_place);
}

TEST_CASE("lines without the form of an error are found in a log that nobody knows") {
  const std::string log =
      "starting\n"
      "[rank1]: /src/modules/transport/ibgda/ibgda.cpp:2234: NULL value Unable to create ah.\n"
      "[rank1]: nvshmem setup connections failed\n"
      " iteration 3/ 5000 | grad norm: 1.5 | number of nan iterations: 0 |\n";
  const auto lines = trouble_lines(log, test::knowledge());
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().line == 2);
  CHECK(lines.front().ranks == std::vector<int>{1});
  CHECK(recognise(lines.front(), test::knowledge())->trouble->name == "nvshmem-start");
  CHECK(trouble_lines("nothing of this is known\n", test::knowledge()).empty());
}

TEST_CASE("an NCCL warning with unknown words is known by its source file") {
  const std::vector<std::pair<std::string, std::string>> kWarnings = {
      {"node3:12:34 [0] transport/net_ib.cc:93 NCCL WARN NET/IB : the moon is full",
       "in-nccl-network"},
      {"[2026-01-04 21:33:04] node3:12:34 [0] transport/net_ib/init.cc:93 NCCL WARN x",
       "in-nccl-network"},
      {"node3:12:34 [0] misc/socket.cc:49 NCCL WARN wrong magic 1 != 2", "in-nccl-sockets"},
      {"node3:12:34 [0] rma/rma_proxy_launch.cc:49 NCCL WARN x", "in-nccl-device-network"},
      {"node3:12:34 [0] graph/topo.cc:49 NCCL WARN x", "in-nccl-topology"},
      {"node3:12:34 [0] transport/nvls.cc:157 NCCL WARN Cuda failure 1 'invalid argument'",
       "nccl-multicast"},
      {"node3:12:34 [0] transport/net_ib.cc:1238 NCCL WARN NET/IB : Got completion from peer "
       "node48<37948> with error 12, opcode 2, len 1",
       "nccl-lost-message"},
      {"node3:12:34 [0] init.cc:49 NCCL WARN NCCL_WORK_FIFO_DEPTH=7 is being ignored because",
       "nccl-goes-on"},
      {"node3:12:34 [0] somewhere/else.cc:49 NCCL WARN the moon is full", ""},
  };
  for (const auto& [line, name] : kWarnings) {
    const std::string shown = line;
    CAPTURE(shown);
    CHECK(first_trouble(line + "\n") == name);
  }
  CHECK(only_crash("a:1:2 [0] graph/topo.cc:49 NCCL WARN x\n"
                   "b:1:2 [0] graph/topo.cc:49 NCCL WARN x\n"
                   "a:1:2 [0] NCCL INFO graph/topo.cc:49 -> 3\n")
            .times == 2);
}

TEST_CASE("a traceback that was cut off is known by the statement that raised") {
  const std::string log =
      "  File \"/opt/mine.py\", line 3, in main\n    load(x)\n"
      "  File \"/opt/other.py\", line 7, in load\n"
      "    raise CheckpointingException(f'{checkpoint_dir} is not a distributed checkpoint')\n";
  CHECK(first_trouble(log) == "incomplete-checkpoint");
  CHECK(first_trouble("  File \"/opt/mine.py\", line 3, in main\n    load(x)\n"
                      "  File \"/opt/other.py\", line 7, in load\n"
                      "    check(\"is not a distributed checkpoint\")\n")
            .empty());
}

TEST_CASE("an error in the column of its frames belongs to them") {
  const Crash crash = only_crash(
      "  File \"/opt/experts.py\", line 3, in multiply\n"
      "      return torch._grouped_mm(x)\n"
      "  RuntimeError: contraction dimension of mat_a and mat_b must match\n");
  CHECK(crash.frames.size() == 1);
  CHECK(crash.exception == "RuntimeError");
}

TEST_CASE("ranks that timed out in different collectives under one number took different paths") {
  const auto line = [](int rank, const std::string& rest) {
    return "[E ProcessGroupNCCL.cpp:467] [Rank " + std::to_string(rank) +
           "] Watchdog caught collective operation timeout: WorkNCCL(" + rest +
           ", Timeout(ms)=1800000) ran for 1800376 milliseconds before timing out.\n";
  };
  const std::string large = "SeqNum=2025, OpType=_ALLGATHER_BASE, NumelIn=200, NumelOut=1600";
  const std::string small = "SeqNum=2025, OpType=_ALLGATHER_BASE, NumelIn=70, NumelOut=560";
  const auto facts = watchdog_facts(line(6, large) + line(1, large) + line(0, small));
  REQUIRE(!facts.empty());
  CHECK(facts.back() ==
        "at work 2025 ranks 1, 6 waited in _ALLGATHER_BASE of 200 elements, rank 0 in "
        "_ALLGATHER_BASE of 70 elements: they took different paths through the program");
  const std::string uneven = "SeqNum=2025, OpType=ALLTOALL, NumelIn=70, NumelOut=560";
  CHECK(watchdog_facts(line(1, large) + line(0, uneven)).empty());
  CHECK(watchdog_facts(line(1, "SeqNum=12, OpType=ALLREDUCE, NumelIn=1") +
                       line(0, "SeqNum=12, OpType=ALLREDUCE, NumelIn=2"))
            .empty());
}

TEST_CASE("a vague failure comes after one that says more, compressed logs are refused") {
  const std::string log =
      "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"a.py\", line 3, in main\n"
      "[rank1]: RuntimeError: NCCL Error 2: unhandled system error\n"
      "n:1:2 [0] misc/ibvwrap.cc:182 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Invalid "
      "argument\n";
  std::string wide = "\xff\xfe";
  std::string other = "\xfe\xff";
  for (const char c : log) {
    wide += {c, '\0'};
    other += {'\0', c};
  }
  support::AppRun run;
  for (const std::string& text : {log, wide, other}) {
    run.input = text;
    CHECK(run.run({"explain", "--from-log", "-"}) == 0);
    CHECK(run.out.starts_with("<stdin>:4: "));
    CHECK(run.out.find("this is: memory that a network card could not register") !=
          std::string::npos);
  }
  run.input = "\x1f\x8b and so on";
  CHECK(run.run({"explain", "--from-log", "-"}) == 3);
  CHECK(run.err.find("gzip -dc") != std::string::npos);
}

std::string steps(int count, int slow_every, double growth, int skipped) {
  std::string log;
  for (int i = 1; i <= count; ++i) {
    const double usual = 4000 * (1 + growth * i / count);
    log += "rank 0:  iteration " + std::to_string(i) + "/ 500 | elapsed time per iteration (ms): " +
           std::to_string(slow_every > 0 && i % slow_every == 0 ? 5 * usual : usual) +
           " | loss scale: " + std::to_string(i <= skipped ? 4096.0 : 64.0) +
           " | number of skipped iterations:   " + std::to_string(i <= skipped ? 1 : 0) + " |\n";
  }
  return log;
}

TEST_CASE("a log without an error tells of slow and skipped steps") {
  CHECK(step_story("").message.empty());
  CHECK(step_story(steps(100, 0, 0, 0)).message.empty());
  CHECK(step_story(steps(15, 5, 0, 0)).message.empty());
  const StepStory slow = step_story(steps(100, 10, 0, 0));
  CHECK(slow.message == "steps that took far longer than the others");
  REQUIRE(slow.facts.size() == 1);
  CHECK(slow.facts.front() ==
        "9 of 90 logged steps took more than twice the median of 4.0 s, one every 10 iterations; "
        "iteration 20 took 20.0 s. Together they cost 29 % of the time");
  CHECK(slow.line == 20);
  const StepStory slower = step_story(steps(100, 0, 1, 0));
  CHECK(slower.message == "steps that became slower");
  CHECK(slower.line == 100);
  const StepStory skipped = step_story(steps(100, 0, 0, 9));
  CHECK(skipped.message == "iterations that the optimizer skipped");
  CHECK(skipped.line == 9);
  CHECK(skipped.facts.front() ==
        "9 iterations were skipped in 100 logged lines; the loss scale went from 4096.000000 to "
        "64.000000");
  for (const StepStory& story : {slow, slower, skipped}) {
    Crash crash;
    crash.message = story.message;
    CHECK(recognise(crash, test::knowledge()).has_value());
  }
}

TEST_CASE("what checks of the launch say is no trouble of a running job") {
  for (const auto& rule : test::knowledge().rules) {
    for (const auto words : rule.prose->log) {
      if (rule.places.empty()) {
        continue;
      }
      CAPTURE(rule.code);
      CAPTURE(words);
      Crash crash;
      crash.exception = "AssertionError";
      crash.message = without_gaps(words);
      const auto found = recognise(crash, test::knowledge());
      // A package that a rule speaks of is missing, or of another version, like any other.
      CHECK((!found || found->trouble->name == "missing-module" ||
             found->trouble->name == "other-interface"));
    }
  }
}

}  // namespace
}  // namespace epwise::audit
