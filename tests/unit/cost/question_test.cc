#include "perf/cost/question.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "perf/cost/compiled_table.h"

namespace epwise::cost {

namespace {

/// "gemm hw=h100 m=4096" → the question.
Question question(const std::string& text) {
  Question result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      result.law = word;
    } else {
      result.arguments.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
    begin = end + 1;
  }
  return result;
}

std::string problems_of(const std::string& text) {
  std::string all;
  for (const std::string& problem : answer(compiled_table(), question(text)).problems) {
    all += problem + "\n";
  }
  return all;
}

const std::string kGemm = "gemm hw=h100 dtype=bf16 m=4096 n=4096 k=4096";
const std::string kDispatch =
    "dispatch hw=h100 backend=deepep tokens=4096 hidden=7168 topk=8 experts=256 ep=8";

}  // namespace

TEST_CASE("a good question of each law is answered with a positive, finite time and its basis") {
  const Table table = compiled_table();
  const std::vector<std::string> rows = {
      kGemm,
      kDispatch,
      "combine hw=gb200 backend=hybridep tokens=4096 hidden=7168 topk=8 experts=256 ep=64",
      "grouped_gemm hw=b200 dtype=bf16 groups=8 tokens_per_group=4096 n=4096 k=7168",
      "grouped_gemm hw=b200 dtype=bf16 groups=3 tokens_per_group=4096,0,7 n=4096 k=7168",
      "moe_forward hw=h100 dtype=fp8 tokens=4096 topk=8 experts=256 ep=8 hidden=7168 inter=2048",
      "attention hw=h100 dtype=bf16 heads=128 head_dim_qk=192 head_dim_v=128 seq=4096",
      "memory_bound hw=h100 nbytes=1e9 kind=copy",
      "collective hw=h100 kind=allgather bytes_per_rank=64000000 ranks=8",
  };
  for (const std::string& row : rows) {
    CAPTURE(row);
    const Answer given = answer(table, question(row));
    CHECK(given.problems.empty());
    REQUIRE(given.cost);
    CHECK(given.cost->seconds > 1e-6);
    CHECK(given.cost->seconds < 1);
    CHECK(given.cost->relative_sd > 0);
    REQUIRE(given.cost->basis != nullptr);
    CHECK(!given.cost->basis->source.empty());
    const Interval interval = given.cost->interval();
    CHECK(interval.low < given.cost->seconds);
    CHECK(interval.high > given.cost->seconds);
  }
}

TEST_CASE("every mistake of a question is told, with the nearest name") {
  struct Row {
    std::string question;
    std::string problems;
  };

  const std::vector<Row> rows = {
      {"gem hw=h100",
       "unknown law `gem`, did you mean `gemm`?; known laws: gemm, grouped_gemm, moe_forward, "
       "attention, memory_bound, collective, dispatch, combine\n"},
      {"memory_bound nbytes=1",
       "`hw` (the chip) is missing: one of a100, h100, h200, h800, h20, b200, b300, gb200, "
       "gb300\n"},
      {"memory_bound hw=tpu nbytes=1",
       "there are no laws for chip `tpu`. Known chips: a100, h100, h200, h800, h20, b200, b300, "
       "gb200, gb300\n"},
      {"gemm hw=h100 dtype=bf61 m=0 n=1.5 k=x q=1",
       "`gemm` takes no `q`\n"
       "`dtype=bf61`, did you mean `bf16`?: dtype must be one of bf16, fp16, fp8, fp8_block, "
       "mxfp8, nvfp4, fp4, w4a8_mxfp4_mxfp8\n"
       "`m` (rows: tokens) must be a whole number from 1 to 1e+12, not `0`\n"
       "`n` (columns of the result) must be a whole number from 1 to 1e+12, not `1.5`\n"
       "`k` (depth) must be a whole number from 1 to 1e+12, not `x`\n"},
      {"memory_bound hw=h100 nbytes=nan",
       "`nbytes` (read and written) must be a number from 0 to 1e+18, not `nan`\n"},
      {"memory_bound hw=h100 nbytes=-1",
       "`nbytes` (read and written) must be a number from 0 to 1e+18, not `-1`\n"},
      {"memory_bound hw=h100 nbytes=1 nbytes=2", "`nbytes` is given twice\n"},
      {kGemm + " quant=maybe", "`quant=maybe`: quant must be true or false\n"},
      {"grouped_gemm hw=b200 dtype=bf16 groups=2 tokens_per_group=1,2,3 n=1 k=1",
       "`tokens_per_group` names 3 groups, `groups` says 2\n"},
      {kDispatch + " dtype=w4a8_mxfp4_mxfp8", "tokens are never sent as w4a8_mxfp4_mxfp8\n"},
      {kDispatch + " n_group=8",
       "`n_group` and `topk_group` must be given together: 8 and 4 for DeepSeek-V3\n"},
      {kDispatch + " n_group=4 topk_group=8",
       "a token cannot keep 8 of 4 groups (topk_group, n_group)\n"},
      {kDispatch + " n_group=7 topk_group=2", "256 experts do not divide into 7 equal groups\n"},
      {"dispatch hw=h100 backend=pigeon tokens=1 hidden=1 topk=9 experts=8 ep=8",
       "`backend=pigeon` is not a dispatcher: deepep, deepep_v2, deepep-ll, hybridep, nccl, "
       "trtllm-one-sided, trtllm-two-sided\n"
       "a token cannot pick 9 of 8 experts (topk, experts)\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.question);
    CHECK(problems_of(row.question) == row.problems);
  }
}

TEST_CASE("nothing to do takes no time") {
  const Table table = compiled_table();
  const Answer alone = answer(
      table,
      question("dispatch hw=h100 backend=deepep tokens=4096 hidden=7168 topk=8 experts=256 ep=1"));
  REQUIRE(alone.cost);
  CHECK(alone.cost->seconds == 0);
  CHECK(alone.cost->basis == nullptr);
}

}  // namespace epwise::cost
