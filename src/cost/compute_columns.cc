#include "cost/table_row.h"

namespace epwise::cost {

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

}  // namespace epwise::cost
