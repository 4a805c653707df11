#include "perf/cost/question.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"
#include "perf/cost/attention.h"
#include "perf/cost/collective.h"
#include "perf/cost/exchange.h"
#include "perf/cost/gemm.h"
#include "perf/cost/memory_bound.h"
#include "perf/cost/moe_forward.h"

namespace epwise::cost {

namespace {

std::optional<double> finite_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  const bool whole = !copy.empty() && end == copy.c_str() + copy.size();
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<bool> flag_of(std::string_view text) {
  for (const std::string_view yes : {"true", "True", "yes", "1"}) {
    if (text == yes) {
      return true;
    }
  }
  for (const std::string_view no : {"false", "False", "no", "0"}) {
    if (text == no) {
      return false;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
  }
  for (std::size_t comma = text.find(','); comma != std::string_view::npos;
       comma = text.find(',')) {
    parts.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string wanted(const Parameter& parameter) {
  const bool whole = parameter.kind == Parameter::Kind::count;
  return fmt::format("`{}` ({}) must be a {}number from {:g} to {:g}",
                     parameter.name,
                     parameter.meaning,
                     whole ? "whole " : "",
                     parameter.low,
                     parameter.high);
}

}  // namespace

bool Values::read(const Parameter& parameter,
                  std::string_view text,
                  std::vector<std::string>& problems) {
  const std::string name(parameter.name);
  if (parameter.kind == Parameter::Kind::word) {
    const auto& words = parameter.words;
    if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) {
      problems.push_back(fmt::format("`{}={}`{}: {} must be one of {}",
                                     name,
                                     text,
                                     text::did_you_mean(text, words),
                                     name,
                                     fmt::join(words, ", ")));
      return false;
    }
    words_[name] = std::string(text);
    return true;
  }
  if (parameter.kind == Parameter::Kind::flag) {
    const auto flag = flag_of(text);
    if (!flag) {
      problems.push_back(fmt::format("`{}={}`: {} must be true or false", name, text, name));
      return false;
    }
    numbers_[name] = {*flag ? 1.0 : 0.0};
    return true;
  }
  std::vector<double> numbers;
  const bool many = parameter.kind == Parameter::Kind::numbers;
  for (const std::string_view part : many ? parts_of(text) : std::vector{text}) {
    const auto number = finite_number(part);
    const bool whole =
        parameter.kind != Parameter::Kind::count || (number && std::floor(*number) == *number);
    if (!number || !whole || *number < parameter.low || *number > parameter.high) {
      problems.push_back(fmt::format("{}, not `{}`", wanted(parameter), part));
      return false;
    }
    numbers.push_back(*number);
  }
  numbers_[name] = std::move(numbers);
  return true;
}

const std::vector<double>& Values::numbers(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) {
    throw std::logic_error("no number " + std::string(name));
  }
  return found->second;
}

const std::string& Values::word(std::string_view name) const {
  const auto found = words_.find(name);
  if (found == words_.end()) {
    throw std::logic_error("no word " + std::string(name));
  }
  return found->second;
}

namespace {

constexpr std::string_view kChip = "hw";

std::vector<std::string_view> chip_names(const Table& table) {
  std::vector<std::string_view> names;
  for (const Chip& chip : table.chips) {
    names.push_back(chip.name);
  }
  return names;
}

const Argument* find_argument(const Question& question, std::string_view name) {
  const auto found = std::find_if(question.arguments.begin(),
                                  question.arguments.end(),
                                  [&](const Argument& each) { return each.name == name; });
  return found == question.arguments.end() ? nullptr : &*found;
}

const Chip* read_chip(const Table& table,
                      const Question& question,
                      std::vector<std::string>& problems) {
  const Argument* argument = find_argument(question, kChip);
  const auto names = chip_names(table);
  if (argument == nullptr) {
    problems.push_back(
        fmt::format("`hw` (the chip) is missing: one of {}", fmt::join(names, ", ")));
    return nullptr;
  }
  const Chip* chip = table.find_chip(argument->text);
  if (chip == nullptr) {
    problems.push_back(fmt::format("there are no laws for chip `{}`{} Known chips: {}",
                                   argument->text,
                                   text::did_you_mean(argument->text, names).empty()
                                       ? "."
                                       : text::did_you_mean(argument->text, names),
                                   fmt::join(names, ", ")));
  }
  return chip;
}

void check_names(const Inquiry& inquiry,
                 const Question& question,
                 std::vector<std::string>& problems) {
  std::vector<std::string_view> names = {kChip};
  for (const Parameter& parameter : inquiry.parameters) {
    names.push_back(parameter.name);
  }
  std::vector<std::string_view> seen;
  for (const Argument& argument : question.arguments) {
    if (std::find(names.begin(), names.end(), argument.name) == names.end()) {
      problems.push_back(fmt::format("`{}` takes no `{}`{}",
                                     inquiry.name,
                                     argument.name,
                                     text::did_you_mean(argument.name, names)));
    } else if (std::find(seen.begin(), seen.end(), argument.name) != seen.end()) {
      problems.push_back(fmt::format("`{}` is given twice", argument.name));
    }
    seen.push_back(argument.name);
  }
}

Values read_values(const Inquiry& inquiry,
                   const Question& question,
                   std::vector<std::string>& problems) {
  Values values;
  for (const Parameter& parameter : inquiry.parameters) {
    const Argument* argument = find_argument(question, parameter.name);
    if (argument != nullptr) {
      values.read(parameter, argument->text, problems);
    } else if (parameter.otherwise.empty()) {
      problems.push_back(fmt::format("`{}` ({}) is missing", parameter.name, parameter.meaning));
    } else {
      values.read(parameter, parameter.otherwise, problems);
    }
  }
  return values;
}

}  // namespace

const std::vector<Inquiry>& inquiries() {
  static const std::vector<Inquiry> all = [] {
    std::vector<Inquiry> list = kernel_inquiries();
    std::vector<Inquiry> traffic = traffic_inquiries();
    list.insert(list.end(),
                std::make_move_iterator(traffic.begin()),
                std::make_move_iterator(traffic.end()));
    return list;
  }();
  return all;
}

const Inquiry* find_inquiry(std::string_view name) {
  const auto& all = inquiries();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Inquiry& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<Request> read_request(const Table& table,
                                    const Question& question,
                                    std::vector<std::string>& problems) {
  const Inquiry* inquiry = find_inquiry(question.law);
  if (inquiry == nullptr) {
    std::vector<std::string_view> names;
    for (const Inquiry& each : inquiries()) {
      names.push_back(each.name);
    }
    problems.push_back(fmt::format("unknown law `{}`{}; known laws: {}",
                                   question.law,
                                   text::did_you_mean(question.law, names),
                                   fmt::join(names, ", ")));
    return std::nullopt;
  }
  Request request{inquiry, read_chip(table, question, problems), {}};
  check_names(*inquiry, question, problems);
  request.values = read_values(*inquiry, question, problems);
  if (problems.empty() && inquiry->check != nullptr) {
    inquiry->check(request.values, problems);
  }
  if (!problems.empty()) {
    return std::nullopt;
  }
  return request;
}

Answer answer(const Table& table, const Question& question) {
  Answer answer;
  if (const auto request = read_request(table, question, answer.problems)) {
    answer.cost = request->ask(table);
  }
  return answer;
}

namespace {

using Kind = Parameter::Kind;

Parameter dtype() {
  return {
      .name = "dtype", .kind = Kind::word, .meaning = "number format", .words = words_of<Format>()};
}

Parameter tokens_of_group() {
  return {.name = "tokens", .meaning = "tokens of the expert-parallel group", .low = 1};
}

Cost ask_gemm(const Table& table, const Chip& chip, const Values& values) {
  Gemm shape;
  shape.format = values.name<Format>("dtype");
  shape.m = values.number("m");
  shape.n = values.number("n");
  shape.k = values.number("k");
  shape.transformer_engine = values.word("family") == "te";
  shape.quantise = values.flag("quant");
  shape.sms = values.number("sms");
  return gemm(table, chip, shape);
}

GemmStage stage_of(const Values& values) {
  const std::string& stage = values.word("stage");
  if (stage == "fwd") {
    return GemmStage::forward;
  }
  return stage == "wgrad" || stage == "bwd_grad_w" ? GemmStage::weight_gradient
                                                   : GemmStage::data_gradient;
}

Cost ask_grouped_gemm(const Table& table, const Chip& chip, const Values& values) {
  GroupedGemm shape;
  const auto& rows = values.numbers("tokens_per_group");
  shape.format = values.name<Format>("dtype");
  shape.groups = values.number("groups");
  shape.rows_per_group = rows.front();
  if (rows.size() > 1) {
    shape.rows = rows;
  }
  shape.n = values.number("n");
  shape.k = values.number("k");
  shape.stage = stage_of(values);
  shape.persistent = values.word("family") == "single";
  shape.accumulate = values.flag("accumulate");
  shape.quantise = values.flag("quant");
  return grouped_gemm(table, chip, shape);
}

void check_grouped_gemm(const Values& values, std::vector<std::string>& problems) {
  const std::size_t given = values.numbers("tokens_per_group").size();
  const double groups = values.number("groups");
  if (given > 1 && static_cast<double>(given) != groups) {
    problems.push_back(fmt::format(
        "`tokens_per_group` names {} groups, `groups` says {}", given, values.count("groups")));
  }
}

Cost ask_moe_forward(const Table& table, const Chip& chip, const Values& values) {
  MoeForward layer;
  layer.format = values.name<Format>("dtype");
  layer.tokens = values.number("tokens");
  layer.topk = values.number("topk");
  layer.experts = values.number("experts");
  layer.ranks = values.number("ep");
  layer.hidden = values.number("hidden");
  layer.inter = values.number("inter");
  layer.gated = values.flag("gated");
  layer.kernels = values.name<MoeKernels>("family");
  return moe_forward(table, chip, layer);
}

void check_moe_forward(const Values& values, std::vector<std::string>& problems) {
  if (values.number("topk") > values.number("experts")) {
    problems.push_back(fmt::format("a token cannot pick {} of {} experts (topk, experts)",
                                   values.count("topk"),
                                   values.count("experts")));
  }
}

AttentionKernels attention_kernels(const std::string& family) {
  if (family == "te") {
    return AttentionKernels::transformer_engine;
  }
  return family == "cudnn" ? AttentionKernels::cudnn : AttentionKernels::by_chip;
}

Cost ask_attention(const Table& table, const Chip& chip, const Values& values) {
  Attention shape;
  shape.format = values.name<Format>("dtype");
  shape.heads = values.number("heads");
  shape.head_dim_qk = values.number("head_dim_qk");
  shape.head_dim_v = values.number("head_dim_v");
  shape.seq = values.number("seq");
  shape.batch = values.number("batch");
  shape.causal = values.flag("causal");
  shape.window = values.number("window");
  shape.backward = values.flag("backward");
  shape.kernels = attention_kernels(values.word("family"));
  return attention(table, chip, shape);
}

Cost ask_memory_bound(const Table& table, const Chip& chip, const Values& values) {
  return memory_bound(table,
                      chip,
                      values.name<MemoryKernel>("kind"),
                      values.number("nbytes"),
                      values.number("launch_us"));
}

Inquiry grouped_gemm_inquiry() {
  return {"grouped_gemm",
          "one GEMM per local expert",
          {dtype(),
           {.name = "groups", .meaning = "local experts", .high = 1e5},
           {.name = "tokens_per_group",
            .kind = Kind::numbers,
            .meaning = "rows per expert, or one number for all: 512,96,0",
            .low = 0},
           {.name = "n", .meaning = "columns of the result"},
           {.name = "k", .meaning = "depth"},
           {.name = "stage",
            .kind = Kind::word,
            .meaning = "of training",
            .otherwise = "fwd",
            .words = {"fwd", "dgrad", "wgrad", "bwd_grad_act", "bwd_grad_w"}},
           {.name = "family",
            .kind = Kind::word,
            .meaning = "te: one GEMM after another; single: one kernel for all",
            .otherwise = "te",
            .words = {"te", "single"}},
           {.name = "accumulate",
            .kind = Kind::flag,
            .meaning = "weight gradients accumulate into the FP32 buffer",
            .otherwise = "true"},
           {.name = "quant",
            .kind = Kind::flag,
            .meaning = "including quantisation of its input",
            .otherwise = "false"}},
          ask_grouped_gemm,
          check_grouped_gemm};
}

Inquiry attention_inquiry() {
  return {
      "attention",
      "core attention, without projections",
      {dtype(),
       {.name = "heads", .meaning = "of queries", .high = 1e5},
       {.name = "kv_heads",
        .meaning = "heads of keys and values; not used yet",
        .otherwise = "0",
        .low = 0,
        .high = 1e5},
       {.name = "head_dim_qk", .meaning = "dimension of a query head", .high = 1e5},
       {.name = "head_dim_v", .meaning = "dimension of a value head", .high = 1e5},
       {.name = "seq", .meaning = "tokens per sequence", .high = 1e9},
       {.name = "batch", .meaning = "sequences", .otherwise = "1", .high = 1e9},
       {.name = "causal", .kind = Kind::flag, .meaning = "causal mask", .otherwise = "true"},
       {.name = "window",
        .meaning = "sliding window in tokens; 0: none",
        .otherwise = "0",
        .low = 0},
       {.name = "backward", .kind = Kind::flag, .meaning = "the gradient", .otherwise = "false"},
       {.name = "family",
        .kind = Kind::word,
        .meaning = "kernels; auto: te on Blackwell, else cudnn",
        .otherwise = "auto",
        .words = {"auto", "te", "cudnn"}}},
      ask_attention};
}

Inquiry gemm_inquiry() {
  return {"gemm",
          "a GEMM",
          {dtype(),
           {.name = "m", .meaning = "rows: tokens"},
           {.name = "n", .meaning = "columns of the result"},
           {.name = "k", .meaning = "depth"},
           {.name = "family",
            .kind = Kind::word,
            .meaning = "te: through Transformer Engine's linear layer",
            .otherwise = "torch",
            .words = {"torch", "te"}},
           {.name = "quant",
            .kind = Kind::flag,
            .meaning = "including quantisation of its input (8 and 4 bit)",
            .otherwise = "true"},
           {.name = "sms",
            .meaning = "SMs available to it; 0: all",
            .otherwise = "0",
            .low = 0,
            .high = 1e4}},
          ask_gemm};
}

Inquiry moe_forward_inquiry() {
  return {"moe_forward",
          "an expert layer at inference: products, activation, permutation",
          {dtype(),
           tokens_of_group(),
           {.name = "topk", .meaning = "experts per token", .high = 1e4},
           {.name = "experts", .meaning = "experts per layer", .high = 1e6},
           {.name = "ep", .meaning = "expert-parallel ranks", .high = 1e6},
           {.name = "hidden", .meaning = "hidden size"},
           {.name = "inter", .meaning = "FFN hidden size of an expert"},
           {.name = "gated",
            .kind = Kind::flag,
            .meaning = "three matrices per expert, otherwise two",
            .otherwise = "true"},
           {.name = "family",
            .kind = Kind::word,
            .meaning = "kernels",
            .otherwise = "cutlass",
            .words = words_of<MoeKernels>()}},
          ask_moe_forward,
          check_moe_forward};
}

}  // namespace

std::vector<Inquiry> kernel_inquiries() {
  return {
      gemm_inquiry(),
      grouped_gemm_inquiry(),
      moe_forward_inquiry(),
      attention_inquiry(),
      {"memory_bound",
       "a memory-bound kernel",
       {{.name = "nbytes",
         .kind = Kind::number,
         .meaning = "read and written",
         .low = 0,
         .high = 1e18},
        {.name = "kind",
         .kind = Kind::word,
         .meaning = "kind of kernel",
         .otherwise = "elementwise",
         .words = words_of<MemoryKernel>()},
        {.name = "launch_us",
         .kind = Kind::number,
         .meaning = "launch, in us",
         .otherwise = "3",
         .low = 0,
         .high = 1e6}},
       ask_memory_bound},
  };
}

namespace {

constexpr double kMostRanks = 1e6;

Parameter nvlink_domain() {
  return {.name = "nvlink_domain",
          .meaning = "ranks connected by NVLink; 0: the chip's default",
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
        fmt::format("`backend={}` is not a dispatcher: deepep, deepep_v2, deepep-ll, hybridep, "
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
    problems.emplace_back(
        "`n_group` and `topk_group` must be given together: 8 and 4 for DeepSeek-V3");
  } else if (kept > groups) {
    problems.push_back(
        fmt::format("a token cannot keep {} of {} groups (topk_group, n_group)", kept, groups));
  } else if (groups > 0 && values.count("experts") % groups != 0) {
    problems.push_back(fmt::format(
        "{} experts do not divide into {} equal groups", values.count("experts"), groups));
  }
}

std::vector<Parameter> exchange_parameters() {
  return {{.name = "backend",
           .kind = Kind::word,
           .meaning = "deepep, deepep_v2, deepep-ll, hybridep, nccl, trtllm-one-sided, …"},
          {.name = "tokens", .meaning = "tokens per rank", .low = 0, .high = 1e9},
          {.name = "hidden", .meaning = "hidden size", .high = 1e9},
          {.name = "topk", .meaning = "experts per token", .high = 1e4},
          {.name = "experts", .meaning = "experts per layer", .high = 1e6},
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
           .meaning = "expert groups for group-limited routing; 0: unlimited",
           .otherwise = "0",
           .low = 0,
           .high = 1e4},
          {.name = "topk_group",
           .meaning = "groups per token",
           .otherwise = "0",
           .low = 0,
           .high = 1e4},
          {.name = "api",
           .kind = Kind::flag,
           .meaning = "including the framework's call around the kernel (hybridep)",
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
         .meaning = "full buffer of a rank: the output of a gather, the input of a scatter",
         .low = 0,
         .high = 1e18},
        {.name = "ranks", .meaning = "of the group", .high = kMostRanks},
        nvlink_domain(),
        {.name = "nics_used",
         .meaning = "NICs used by a ring between two domains; 0: one per rank",
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
