#include <fmt/format.h>

#include "cost/collective.h"
#include "cost/exchange.h"
#include "cost/question.h"

namespace epwise::cost {

namespace {

using Kind = Parameter::Kind;

constexpr double kMostRanks = 1e6;

Parameter nvlink_domain() {
  return {.name = "nvlink_domain",
          .meaning = "ranks that reach each other over NVLink; 0: the chip's",
          .otherwise = "0",
          .low = 0,
          .high = kMostRanks};
}

Cost ask_collective(const Table& table, const Chip& chip, const Values& values) {
  Collective call;
  call.kind = values.name<CollectiveKind>("kind");
  call.bytes = values.number("bytes_per_rank");
  call.ranks = values.count("ranks");
  call.nvlink_domain = values.count("nvlink_domain");
  call.nics = values.number("nics_used");
  return collective(table, chip, call);
}

Cost ask_exchange(const Table& table, const Chip& chip, const Values& values, Direction direction) {
  Exchange call;
  call.direction = direction;
  call.backend = parse_backend(values.word("backend")).value_or(Backend::deepep);
  call.tokens = values.number("tokens");
  call.hidden = values.number("hidden");
  call.topk = values.count("topk");
  call.experts = values.number("experts");
  call.ranks = values.count("ep");
  call.format = values.name<Format>("dtype");
  call.sms = values.number("sms");
  call.nvlink_domain = values.count("nvlink_domain");
  call.limit = {values.count("n_group"), values.count("topk_group")};
  call.framework = values.flag("api");
  return exchange(table, chip, call);
}

Cost ask_dispatch(const Table& table, const Chip& chip, const Values& values) {
  return ask_exchange(table, chip, values, Direction::dispatch);
}

Cost ask_combine(const Table& table, const Chip& chip, const Values& values) {
  return ask_exchange(table, chip, values, Direction::combine);
}

void check_exchange(const Values& values, std::vector<std::string>& problems) {
  if (!parse_backend(values.word("backend"))) {
    problems.push_back(
        fmt::format("`backend={}` names no dispatcher: deepep, deepep_v2, deepep-ll, hybridep, "
                    "nccl, trtllm-one-sided, trtllm-two-sided",
                    values.word("backend")));
  }
  if (values.name<Format>("dtype") == Format::w4a8) {
    problems.push_back(fmt::format("tokens are never sent as {}", values.word("dtype")));
  }
  if (values.number("topk") > values.number("experts")) {
    problems.push_back(fmt::format("a token cannot pick {} of {} experts (topk, experts)",
                                   values.count("topk"),
                                   values.count("experts")));
  }
  const int groups = values.count("n_group");
  const int kept = values.count("topk_group");
  if ((groups > 0) != (kept > 0)) {
    problems.emplace_back("`n_group` and `topk_group` come together: 8 and 4 as DeepSeek-V3 has");
  } else if (kept > groups) {
    problems.push_back(
        fmt::format("a token cannot keep {} of {} groups (topk_group, n_group)", kept, groups));
  } else if (groups > 0 && values.count("experts") % groups != 0) {
    problems.push_back(
        fmt::format("{} experts do not make {} equal groups", values.count("experts"), groups));
  }
}

std::vector<Parameter> exchange_parameters() {
  return {{.name = "backend",
           .kind = Kind::word,
           .meaning = "deepep, deepep_v2, deepep-ll, hybridep, nccl, trtllm-one-sided, …"},
          {.name = "tokens", .meaning = "tokens of one rank", .low = 0, .high = 1e9},
          {.name = "hidden", .meaning = "width of a token", .high = 1e9},
          {.name = "topk", .meaning = "experts of a token", .high = 1e4},
          {.name = "experts", .meaning = "experts of the layer", .high = 1e6},
          {.name = "ep", .meaning = "expert-parallel ranks", .high = kMostRanks},
          {.name = "dtype",
           .kind = Kind::word,
           .meaning = "number format of the message",
           .otherwise = "bf16",
           .words = words_of<Format>()},
          {.name = "sms",
           .meaning = "SMs of the kernel; 0: the backend's default",
           .otherwise = "0",
           .low = 0,
           .high = 1e4},
          nvlink_domain(),
          {.name = "n_group",
           .meaning = "groups of experts, when routing is limited to some; 0: it is not",
           .otherwise = "0",
           .low = 0,
           .high = 1e4},
          {.name = "topk_group",
           .meaning = "groups that a token keeps",
           .otherwise = "0",
           .low = 0,
           .high = 1e4},
          {.name = "api",
           .kind = Kind::flag,
           .meaning = "with the framework's call around the kernel (hybridep)",
           .otherwise = "false"}};
}

}  // namespace

std::vector<Inquiry> traffic_inquiries() {
  return {
      {"collective",
       "an NCCL call",
       {{.name = "kind",
         .kind = Kind::word,
         .meaning = "which",
         .words = words_of<CollectiveKind>()},
        {.name = "bytes_per_rank",
         .kind = Kind::number,
         .meaning = "whole buffer of a rank: what a gather ends with, a scatter starts with",
         .low = 0,
         .high = 1e18},
        {.name = "ranks", .meaning = "of the group", .high = kMostRanks},
        nvlink_domain(),
        {.name = "nics_used",
         .meaning = "NICs that carry a ring between two domains; 0: one a rank",
         .otherwise = "0",
         .low = 0,
         .high = kMostRanks}},
       ask_collective},
      {"dispatch",
       "tokens go to their experts",
       exchange_parameters(),
       ask_dispatch,
       check_exchange},
      {"combine", "tokens come back", exchange_parameters(), ask_combine, check_exchange},
  };
}

}  // namespace epwise::cost
