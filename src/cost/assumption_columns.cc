#include "cost/table_row.h"

namespace epwise::cost {

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
