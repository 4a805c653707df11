#include "cost/table_row.h"

namespace epwise::cost {

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

}  // namespace epwise::cost
