#include "perf/cost/collective.h"

#include <algorithm>
#include <cmath>

#include "perf/cost/cost.h"

namespace epwise::cost {

namespace {

const CollectiveParameters& find_collective(const Table& table,
                                            const Chip& chip,
                                            CollectiveKind kind) {
  for (const CollectiveParameters& each : table.collective) {
    if (each.kind == kind && each.architecture == chip.architecture) {
      return each;
    }
  }
  return table.collective.front();
}

Cost point_to_point(const Table& table, const Chip& chip, const Collective& call, int domain) {
  const FormParameters& form = table.form();
  const bool near = call.ranks > 0 && domain > 1;
  const double latency = near ? form.p2p_nvlink_latency : form.p2p_nic_latency;
  const double rate = near ? form.p2p_nvlink_share * chip.nvlink : form.p2p_nic_share * chip.nic;
  return {(latency + call.bytes / (rate * 1e3)) * kMicro,
          table.doubt().point_to_point,
          Status::prior,
          &form.basis};
}

double passes(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce ? 2 : 1;
}

/// In us, `ranks` of one NVLink domain.
double inside(const Table& table,
              const CollectiveParameters& law,
              const Chip& chip,
              double bytes,
              double ranks) {
  const double volume = passes(law.kind) * bytes * (ranks - 1) / ranks;
  const double ramps = std::pow(ranks - 1, law.x);
  const double rate = law.b * 1e3 *
                      std::max(table.form().collective_least_share, 1 - law.d / ranks) *
                      chip.nvlink / law.nvlink;
  return law.a0 + law.a1 * (ranks - 1) + volume / rate +
         law.c * ramps * (1 - std::exp(-volume / (law.v0 * 1e6 * ramps)));
}

/// In us, ranks of several domains.
double across(const Table& table,
              const CollectiveParameters& law,
              const Chip& chip,
              const Collective& call,
              int domain) {
  const FormParameters& form = table.form();
  const int domains = (call.ranks + domain - 1) / domain;
  const double nic = form.collective_nic_share * chip.nic * 1e3;
  const double latency = form.collective_domain_latency * std::log2(domains);
  const double ranks = call.ranks;
  if (law.kind == CollectiveKind::all_to_all) {
    const double local = call.bytes * domain / ranks;
    return (domain > 1 ? inside(table, law, chip, local, domain) : law.a0) + latency +
           call.bytes * (1 - domain / ranks) / nic;
  }
  const double nics = call.nics > 0 ? call.nics : domain;
  const double local = domain > 1 ? inside(table, law, chip, call.bytes, domain) : law.a0;
  const double ring = law.a0 + passes(law.kind) * call.bytes * (ranks - 1) / ranks / (nics * nic);
  return std::max(local, ring) + latency + form.ring_domain_latency * domains;
}

}  // namespace

Cost collective(const Table& table, const Chip& chip, const Collective& call) {
  const int widest =
      call.nvlink_domain > 0 ? call.nvlink_domain : static_cast<int>(chip.nvlink_domain);
  if (call.kind == CollectiveKind::point_to_point) {
    return point_to_point(table, chip, call, widest);
  }
  if (call.ranks <= 1 || call.bytes <= 0) {
    return {0, 0, Status::prior, nullptr};
  }
  const CollectiveParameters& law = find_collective(table, chip, call.kind);
  const int domain = std::min(widest, call.ranks);
  if (domain < call.ranks) {
    return {across(table, law, chip, call, domain) * kMicro,
            table.doubt().collective_across,
            Status::prior,
            &law.basis};
  }
  Cost cost{inside(table, law, chip, call.bytes, call.ranks) * kMicro,
            law.basis.relative_sd,
            law.basis.is_measured_on(chip.name) ? Status::fitted : Status::prior,
            &law.basis};
  if (!law.ranks.contains(call.ranks)) {
    cost.status = worse(cost.status, Status::extrapolated);
    cost.relative_sd += table.doubt().collective_outside;
  }
  if (!law.bytes.contains(call.bytes)) {
    cost.status = worse(cost.status, Status::extrapolated);
  }
  return cost;
}

}  // namespace epwise::cost
