#include "perf/cost/table_columns.h"

#include <fmt/format.h>

namespace epwise::cost {

std::string TableRow::word() {
  const std::size_t place = words_++;
  return place < entry_.key.size() ? entry_.key[place] : std::string();
}

bool TableRow::is(std::string_view yes, std::string_view no) {
  const std::string text = word();
  if (text != yes && text != no) {
    flaw(text, fmt::format("should be `{}` or `{}`", yes, no));
  }
  return text == yes;
}

void TableRow::finish() {
  if (words_ != entry_.key.size()) {
    flaw("key", fmt::format("needs {} words", words_));
  }
  for (const auto& value : entry_.values) {
    if (std::find(asked_.begin(), asked_.end(), value.name) == asked_.end()) {
      flaw(value.name, "is not read by any law");
    }
  }
}

void TableRow::flaw(std::string_view name, std::string_view what) {
  flaws_.push_back(fmt::format("`{}` of `{}` {}", name, entry_.basis.name, what));
}

const double* TableRow::value(std::string_view name, std::string_view unit, bool needed) {
  asked_.push_back(name);
  const auto found = std::find_if(entry_.values.begin(),
                                  entry_.values.end(),
                                  [&](const auto& each) { return each.name == name; });
  if (found == entry_.values.end()) {
    if (needed) {
      flaw(name, "is missing");
    }
    return nullptr;
  }
  if (found->unit != unit) {
    flaw(name, fmt::format("is measured in {}, not {}", found->unit, unit));
  }
  return &found->number;
}

Span TableRow::range(std::string_view name) {
  const auto found = std::find_if(entry_.range.begin(), entry_.range.end(), [&](const auto& each) {
    return each.name == name;
  });
  if (found == entry_.range.end()) {
    flaw(name, "has no range");
    return {};
  }
  return {found->low, found->high};
}

void add_chip(TableRow& row, Table& table) {
  using P = Chip;
  P& bound = table.chips.emplace_back();
  bound.name = row.word();
  bound.architecture = row.name<Architecture>();
  bound.family = row.name<Family>();
  bound.neighbour = row.word();
  row.bind<P>(bound,
              {{"sms", "1", &P::sms},
               {"peak_bf16", "TFLOP/s", &P::peak_bf16},
               {"peak_fp8", "TFLOP/s", &P::peak_fp8, false},
               {"peak_fp4", "TFLOP/s", &P::peak_fp4, false},
               {"memory", "TB/s", &P::memory},
               {"nvlink", "GB/s", &P::nvlink},
               {"nvlink_domain", "1", &P::nvlink_domain},
               {"nic", "GB/s", &P::nic}},
              {});
}

void add_format(TableRow& row, Table& table) {
  using P = FormatParameters;
  P& bound = table.formats.emplace_back();
  bound.format = row.name<Format>();
  row.bind<P>(bound,
              {{"operand_bytes", "bytes", &P::operand_bytes},
               {"wire_bytes", "bytes", &P::wire_bytes, false}},
              {});
}

void add_gemm(TableRow& row, Table& table) {
  using P = GemmParameters;
  P& bound = table.gemm.emplace_back();
  bound.chip = row.word();
  bound.format = row.name<Format>();
  bound.transformer_engine = row.is("te", "torch");
  row.bind<P>(
      bound,
      {{"t0", "us", &P::t0}, {"eff", "1", &P::eff}, {"k0", "1", &P::k0}, {"pq", "ps", &P::pq}},
      {{"m", &P::m}, {"n", &P::n}, {"k", &P::k}});
}

void add_grouped_gemm(TableRow& row, Table& table) {
  using P = GroupedGemmParameters;
  P& bound = table.grouped_gemm.emplace_back();
  row.is("te", "te");
  row.bind<P>(bound,
              {{"tg", "us", &P::tg},
               {"eff", "1", &P::eff},
               {"eff_w", "1", &P::eff_w},
               {"cb", "1", &P::cb},
               {"eff_reference", "1", &P::eff_reference},
               {"eff_cap", "1", &P::eff_cap},
               {"quantised_tg", "1", &P::quantised_tg},
               {"elsewhere_sd", "1", &P::elsewhere_sd}},
              {{"rows_per_group", &P::rows_per_group}});
}

void add_persistent_gemm(TableRow& row, Table& table) {
  using P = PersistentGemmParameters;
  P& bound = table.persistent_gemm.emplace_back();
  row.is("single", "single");
  row.bind<P>(bound,
              {{"t0", "us", &P::t0},
               {"k0", "1", &P::k0},
               {"cw", "1", &P::cw},
               {"hopper_block_eff", "1", &P::hopper_block_eff}},
              {});
}

void add_moe_forward(TableRow& row, Table& table) {
  using P = MoeForwardParameters;
  P& bound = table.moe_forward.emplace_back();
  bound.family = row.name<Family>();
  bound.kernels = row.name<MoeKernels>();
  bound.format = row.name<Format>();
  row.bind<P>(bound,
              {{"t0", "us", &P::t0},
               {"eff", "1", &P::eff},
               {"k0", "1", &P::k0},
               {"cw", "1", &P::cw},
               {"ct", "1", &P::ct},
               {"ca", "1", &P::ca}},
              {{"rows_per_expert", &P::rows_per_expert}, {"hidden", &P::hidden}});
}

void add_attention(TableRow& row, Table& table) {
  using P = AttentionParameters;
  P& bound = table.attention.emplace_back();
  row.is("te", "te");
  row.bind<P>(bound,
              {{"ef", "1", &P::ef},
               {"eb", "1", &P::eb},
               {"xb", "1", &P::xb},
               {"xf", "1", &P::xf},
               {"k", "1", &P::k},
               {"tf", "us", &P::tf},
               {"th", "1", &P::th},
               {"hopper_gain", "1", &P::hopper_gain},
               {"eff_cap", "1", &P::eff_cap},
               {"elsewhere_sd", "1", &P::elsewhere_sd}},
              {{"seq", &P::seq}});
}

void add_attention_line(TableRow& row, Table& table) {
  using P = AttentionLine;
  P& bound = table.attention_line.emplace_back();
  bound.architecture = row.name<Architecture>();
  bound.backward = row.is("backward", "forward");
  row.bind<P>(
      bound,
      {{"r", "TFLOP/s", &P::r}, {"c", "tokens/(TFLOP/s)", &P::c}, {"peak", "TFLOP/s", &P::peak}},
      {{"seq", &P::seq}});
}

void add_memory_bound(TableRow& row, Table& table) {
  using P = MemoryParameters;
  P& bound = table.memory_bound.emplace_back();
  bound.kernel = row.name<MemoryKernel>();
  row.bind<P>(bound, {{"share", "1", &P::share}}, {});
}

void add_collective(TableRow& row, Table& table) {
  using P = CollectiveParameters;
  P& bound = table.collective.emplace_back();
  bound.kind = row.name<CollectiveKind>();
  bound.architecture = row.name<Architecture>();
  row.bind<P>(bound,
              {{"a0", "us", &P::a0},
               {"a1", "us", &P::a1},
               {"B", "GB/s", &P::b},
               {"d", "1", &P::d},
               {"c", "us", &P::c},
               {"v0", "MB", &P::v0},
               {"x", "1", &P::x},
               {"nvlink", "GB/s", &P::nvlink}},
              {{"bytes", &P::bytes}, {"ranks", &P::ranks}});
}

void add_exchange(TableRow& row, Table& table) {
  using P = ExchangeParameters;
  P& bound = table.exchange.emplace_back();
  bound.hybrid = row.is("hybridep", "deepep");
  bound.family = row.name<Family>();
  bound.direction = row.name<Direction>();
  row.bind<P>(bound,
              {{"a", "us", &P::a, false},
               {"a_small", "us", &P::a_small, false},
               {"an", "us", &P::an, false},
               {"g0", "us", &P::g0, false},
               {"g1", "us", &P::g1},
               {"r1", "GB/s", &P::r1},
               {"rho", "1", &P::rho},
               {"rr", "GB/s", &P::rr, false},
               {"rn", "GB/s", &P::rn, false},
               {"Bn", "GB/s", &P::bn},
               {"Bi", "GB/s", &P::bi, false},
               {"api0", "us", &P::api0, false},
               {"api1", "1", &P::api1, false},
               {"nvlink", "GB/s", &P::nvlink},
               {"nic", "GB/s", &P::nic, false}},
              {{"tokens", &P::tokens}, {"hidden", &P::hidden}, {"sms", &P::sms}});
}

void add_low_latency(TableRow& row, Table& table) {
  using P = LowLatencyParameters;
  P& bound = table.low_latency.emplace_back();
  bound.several_domains = row.is("split", "joint");
  bound.family = row.name<Family>();
  bound.direction = row.name<Direction>();
  row.bind<P>(bound,
              {{"a", "us", &P::a},
               {"nvlink_rate", "GB/s", &P::nvlink_rate},
               {"nic_rate", "GB/s", &P::nic_rate, false},
               {"nic", "GB/s", &P::nic, false}},
              {{"tokens", &P::tokens}});
}

void add_nvlink_exchange(TableRow& row, Table& table) {
  using P = NvlinkExchangeParameters;
  P& bound = table.nvlink_exchange.emplace_back();
  bound.one_sided = row.is("one_sided", "two_sided");
  bound.direction = row.name<Direction>();
  row.bind<P>(bound, {{"a", "us", &P::a}, {"c", "us", &P::c}, {"rate", "GB/s", &P::rate}}, {});
}

void add_forms(TableRow& row, Table& table) {
  using P = FormParameters;
  P& bound = table.forms.emplace_back();
  row.is("all", "all");
  row.bind<P>(bound,
              {{"gemm_least_launch", "us", &P::gemm_least_launch},
               {"gemm_memory_share", "1", &P::gemm_memory_share},
               {"gemm_fill_power", "1", &P::gemm_fill_power},
               {"gemm_least_fill", "1", &P::gemm_least_fill},
               {"gemm_unquantised_launch", "1", &P::gemm_unquantised_launch},
               {"quantise_launch", "us", &P::quantise_launch},
               {"kernel_launch", "us", &P::kernel_launch},
               {"ampere_attention", "1", &P::ampere_attention},
               {"collective_nic_share", "1", &P::collective_nic_share},
               {"collective_domain_latency", "us", &P::collective_domain_latency},
               {"ring_domain_latency", "us", &P::ring_domain_latency},
               {"p2p_nvlink_latency", "us", &P::p2p_nvlink_latency},
               {"p2p_nvlink_share", "1", &P::p2p_nvlink_share},
               {"p2p_nic_latency", "us", &P::p2p_nic_latency},
               {"p2p_nic_share", "1", &P::p2p_nic_share},
               {"node_copy_gain", "1", &P::node_copy_gain},
               {"small_tokens", "1", &P::small_tokens},
               {"hybrid_launch", "us", &P::hybrid_launch},
               {"v2_gain", "1", &P::v2_gain},
               {"deepep_sms", "1", &P::deepep_sms},
               {"hybridep_sms", "1", &P::hybridep_sms},
               {"deepep_v2_sms", "1", &P::deepep_v2_sms},
               {"attention_block", "1", &P::attention_block},
               {"attention_least_seq", "1", &P::attention_least_seq},
               {"hybridep_tokens", "1", &P::hybridep_tokens},
               {"hybridep_hidden", "1", &P::hybridep_hidden},
               {"deepep_most_domains", "1", &P::deepep_most_domains},
               {"collective_least_share", "1", &P::collective_least_share}},
              {});
}

void add_doubts(TableRow& row, Table& table) {
  using P = DoubtParameters;
  P& bound = table.doubts.emplace_back();
  row.is("all", "all");
  row.bind<P>(bound,
              {{"gemm_neighbour_factor", "1", &P::gemm_neighbour_factor},
               {"gemm_neighbour", "1", &P::gemm_neighbour},
               {"gemm_unknown", "1", &P::gemm_unknown},
               {"gemm_outside_factor", "1", &P::gemm_outside_factor},
               {"gemm_unfilled", "1", &P::gemm_unfilled},
               {"moe_elsewhere", "1", &P::moe_elsewhere},
               {"attention_outside", "1", &P::attention_outside},
               {"attention_format", "1", &P::attention_format},
               {"memory_elsewhere", "1", &P::memory_elsewhere},
               {"collective_outside", "1", &P::collective_outside},
               {"collective_across", "1", &P::collective_across},
               {"point_to_point", "1", &P::point_to_point},
               {"exchange_nccl_least", "1", &P::exchange_nccl_least},
               {"exchange_elsewhere", "1", &P::exchange_elsewhere},
               {"exchange_outside_factor", "1", &P::exchange_outside_factor},
               {"exchange_prior_least", "1", &P::exchange_prior_least}},
              {});
}

}  // namespace epwise::cost
