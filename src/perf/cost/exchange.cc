#include "perf/cost/exchange.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "perf/cost/collective.h"
#include "perf/cost/cost.h"

namespace epwise::cost {

namespace {

/// C(n - part, k) / C(n, k): probability that no pick of k is in `part` of n.
double missed(double n, double part, int k) {
  if (n - part < k) {
    return 0;
  }
  double ratio = 1;
  for (int i = 0; i < k; ++i) {
    ratio *= (n - part - i) / (n - i);
  }
  return ratio;
}

double reached(double n, double parts, int k) {
  return parts <= 1 ? 1 : parts * (1 - missed(n, n / parts, k));
}

double binomial(int n, int k) {
  double result = 1;
  for (int i = 1; i <= k; ++i) {
    result *= static_cast<double>(n - k + i) / i;
  }
  return k > n ? 0 : result;
}

}  // namespace

double expected_parts(double experts, int parts, int topk, const RoutingGroups& limit) {
  if (parts <= 1) {
    return 1;
  }
  if (limit.groups <= 0 || limit.kept <= 0 || limit.kept >= limit.groups) {
    return reached(experts, parts, topk);
  }
  const double group = experts / limit.groups;
  if (parts >= limit.groups) {  // a group spans one part or more
    return reached(
        group * limit.kept, static_cast<double>(parts) * limit.kept / limit.groups, topk);
  }
  const int groups_per_part = limit.groups / parts;
  const double ways = binomial(limit.groups, limit.kept);
  double missing = 0;
  for (int kept_here = 0; kept_here <= std::min(groups_per_part, limit.kept); ++kept_here) {
    const double share = binomial(groups_per_part, kept_here) *
                         binomial(limit.groups - groups_per_part, limit.kept - kept_here) / ways;
    missing += share * missed(group * limit.kept, group * kept_here, topk);
  }
  return parts * (1 - missing);
}

namespace {

/// Quantities shared by all backends.
struct Traffic {
  int domain = 1;    // ranks in one NVLink domain
  int domains = 1;   // spanned by the ranks
  double bytes = 0;  // of a token's copy, in thousands: us at 1 GB/s
  double ranks_hit = 1;
  double domains_hit = 1;
};

Traffic count(const Table& table, const Chip& chip, const Exchange& call) {
  Traffic traffic;
  const int widest =
      call.nvlink_domain > 0 ? call.nvlink_domain : static_cast<int>(chip.nvlink_domain);
  traffic.domain = std::min(widest, call.ranks);
  traffic.domains = (call.ranks + traffic.domain - 1) / traffic.domain;
  traffic.bytes = call.hidden * table.format(call.format).wire_bytes * 1e-3;
  traffic.ranks_hit =
      call.slices * expected_parts(call.experts, call.ranks / call.slices, call.topk, call.limit);
  traffic.domains_hit = expected_parts(call.experts, traffic.domains, call.topk, call.limit);
  return traffic;
}

Cost by_nccl(const Table& table, const Chip& chip, const Exchange& call) {
  Collective each;
  each.kind = CollectiveKind::all_to_all;
  each.bytes = call.tokens * call.topk * call.hidden * table.format(call.format).wire_bytes;
  each.ranks = call.ranks;
  each.nvlink_domain = call.nvlink_domain;
  Cost cost = collective(table, chip, each);
  cost.relative_sd = std::max(cost.relative_sd, table.doubt().exchange_nccl_least);
  return cost;
}

Cost by_low_latency(const Table& table,
                    const Chip& chip,
                    const Exchange& call,
                    const Traffic& traffic) {
  const auto find = [&](bool several) -> const LowLatencyParameters& {
    for (const LowLatencyParameters& each : table.low_latency) {
      if (each.direction == call.direction && each.several_domains == several &&
          (several || each.family == chip.family)) {
        return each;
      }
    }
    throw std::logic_error("no low-latency parameters");
  };
  const double volume = call.tokens * call.topk * traffic.bytes;
  const LowLatencyParameters& apart = find(true);
  const bool own = apart.basis.is_measured_on(chip.name);
  if (traffic.domains > 1 || own) {
    const double inside = static_cast<double>(traffic.domain) / call.ranks;
    const double time = apart.a + volume / (apart.nic_rate * chip.nic / apart.nic) * (1 - inside) +
                        volume / apart.nvlink_rate * inside;
    return {
        time * kMicro, apart.basis.relative_sd, own ? Status::fitted : Status::prior, &apart.basis};
  }
  const LowLatencyParameters& law = find(false);
  const Status status = law.tokens.contains(call.tokens) ? Status::fitted : Status::extrapolated;
  return {(law.a + volume / law.nvlink_rate) * kMicro, law.basis.relative_sd, status, &law.basis};
}

Cost by_nvlink(const Table& table, const Chip& chip, const Exchange& call, const Traffic& traffic) {
  const bool one_sided = call.backend == Backend::nvlink_one_sided;
  const auto law = std::find_if(
      table.nvlink_exchange.begin(), table.nvlink_exchange.end(), [&](const auto& each) {
        return each.one_sided == one_sided && each.direction == call.direction;
      });
  // Sends FP8 without scales, and results always in BF16.
  double bytes = traffic.bytes;
  if (call.direction == Direction::combine) {
    bytes = call.hidden * 2e-3;
  } else if (call.format == Format::fp8) {
    bytes = call.hidden * 1e-3;
  }
  const double ranks_hit = traffic.ranks_hit;
  const double sent = one_sided ? ranks_hit * (1 - 1.0 / call.ranks) : ranks_hit;
  const double time =
      law->a + call.tokens * (law->c * (one_sided ? ranks_hit : 1) + bytes * sent / law->rate);
  return {time * kMicro,
          law->basis.relative_sd,
          law->basis.is_measured_on(chip.name) ? Status::fitted : Status::prior,
          &law->basis};
}

/// Parameters depend on the ranks in one NVLink domain, not on the product: eight GB200 match B200.
Family family_of(const Chip& chip, const Traffic& traffic) {
  if (chip.architecture != Architecture::blackwell) {
    return chip.family;
  }
  return traffic.domain > 4 && traffic.domain <= 8 ? Family::b200 : Family::gb200;
}

const ExchangeParameters& exchange_law(const Table& table,
                                       bool hybrid,
                                       Family family,
                                       Direction direction) {
  for (const ExchangeParameters& each : table.exchange) {
    if (each.hybrid == hybrid && each.family == family && each.direction == direction) {
      return each;
    }
  }
  throw std::logic_error("no exchange parameters");
}

/// The parts of an exchange, all except the launch in us of its resource.
struct Parts {
  double launch = 0;
  double sms = 0;  // work, in us of one SM
  double rho = 1;
  double nic = 0;  // GB/s; 0: no NIC involved
  Status status = Status::fitted;
};

Parts deepep_parts(const Table& table,
                   const Chip& chip,
                   const Exchange& call,
                   const Traffic& traffic,
                   const ExchangeParameters& law) {
  const ExchangeParameters& hopper = exchange_law(table, false, Family::hopper, call.direction);
  const double hb = traffic.bytes;
  Parts parts;
  parts.rho = law.rho;
  // Rows start at 4096 tokens; below, the launch decreases to the observed time of small exchanges.
  parts.launch = law.a_small + std::max(0.0, law.a - law.a_small) * call.tokens /
                                   (call.tokens + table.form().small_tokens);
  if (traffic.domains == 1) {
    parts.sms = call.tokens * (law.g0 + traffic.ranks_hit * (law.g1 + hb / law.r1));
    return parts;
  }
  const bool blackwell = law.family != Family::hopper;
  const double rate = hopper.rr * (blackwell ? law.r1 / hopper.r1 : 1);
  parts.sms = call.tokens * (law.g0 + traffic.ranks_hit * hb / rate +
                             traffic.domains_hit * hb / (table.form().node_copy_gain * rate));
  parts.nic = hopper.bi * chip.nic / hopper.nic;
  parts.launch += hopper.an * std::log2(traffic.domains);
  if (blackwell) {
    parts.status = Status::prior;
  } else if (traffic.domains > table.form().deepep_most_domains) {
    parts.status = Status::extrapolated;
  }
  return parts;
}

Parts hybridep_parts(const Table& table,
                     const Chip& chip,
                     const Exchange& call,
                     const Traffic& traffic,
                     const ExchangeParameters& law) {
  const ExchangeParameters& hopper = exchange_law(table, true, Family::hopper, call.direction);
  const bool v2 = call.backend == Backend::deepep_v2;
  const double hb = traffic.bytes;
  Parts parts;
  parts.launch = table.form().hybrid_launch;
  double work = traffic.ranks_hit * (law.g1 + hb / law.r1);
  if (traffic.domains > 1) {
    work += traffic.domains_hit * hb / hopper.rn;
    parts.nic = hopper.bi * chip.nic / hopper.nic;
    parts.launch += v2 ? 0 : hopper.an * std::log2(traffic.domains);
    parts.status = law.family == Family::hopper ? Status::fitted : Status::prior;
  }
  parts.sms = call.tokens * work * (v2 ? table.form().v2_gain : 1);
  return parts;
}

double default_sms(const FormParameters& form, Backend backend) {
  switch (backend) {
    case Backend::hybridep:
      return form.hybridep_sms;
    case Backend::deepep_v2:
      return form.deepep_v2_sms;
    default:
      return form.deepep_sms;
  }
}

/// The position of a call relative to the rows.
Status judge_exchange(const FormParameters& form,
                      const Chip& chip,
                      const Exchange& call,
                      const ExchangeParameters& law,
                      double sms) {
  if (!law.tokens.contains(call.tokens) || !law.hidden.contains(call.hidden) ||
      !law.sms.contains(sms)) {
    return Status::extrapolated;
  }
  if (call.backend == Backend::hybridep &&
      (call.tokens != form.hybridep_tokens || call.hidden != form.hybridep_hidden)) {
    return Status::interpolated;
  }
  const bool unseen = call.backend == Backend::deepep && call.direction == Direction::dispatch &&
                      call.format == Format::bf16 && chip.architecture == Architecture::hopper;
  return unseen ? Status::interpolated : Status::fitted;
}

/// DeepEP and HybridEP kernels on a number of SMs.
Cost by_kernel(const Table& table, const Chip& chip, const Exchange& call, const Traffic& traffic) {
  const bool hybrid = call.backend != Backend::deepep;
  Family family = family_of(chip, traffic);
  if (hybrid && family == Family::b200) {
    family = Family::gb200;  // one set for all of Blackwell
  }
  const ExchangeParameters& law = exchange_law(table, hybrid, family, call.direction);
  const Parts parts = hybrid ? hybridep_parts(table, chip, call, traffic, law)
                             : deepep_parts(table, chip, call, traffic, law);
  const double sms = call.sms > 0 ? call.sms : default_sms(table.form(), call.backend);
  const double sent = call.tokens * traffic.bytes;
  const double nvlink =
      sent * traffic.ranks_hit * (1 - 1.0 / call.ranks) / (law.bn * chip.nvlink / law.nvlink);
  const double nic =
      parts.nic > 0 ? sent * traffic.domains_hit * (1 - 1.0 / traffic.domains) / parts.nic : 0;
  double time = parts.launch + power_sum({parts.sms / std::pow(sms, parts.rho), nvlink, nic});
  if (call.framework && hybrid) {
    time += law.api0 + law.api1 * sent * traffic.ranks_hit * 1e-3;
  }

  Cost cost{time * kMicro, law.basis.relative_sd, parts.status, &law.basis};
  if (call.backend == Backend::deepep_v2 || !law.basis.is_measured_on(chip.name)) {
    cost.status = Status::prior;
    cost.relative_sd += table.doubt().exchange_elsewhere;
  }
  if (cost.status == Status::fitted) {
    cost.status = judge_exchange(table.form(), chip, call, law, sms);
  }
  if (cost.status == Status::extrapolated) {
    cost.relative_sd *= table.doubt().exchange_outside_factor;
  }
  if (cost.status == Status::prior) {
    cost.relative_sd = std::max(cost.relative_sd, table.doubt().exchange_prior_least);
  }
  return cost;
}

}  // namespace

Cost exchange(const Table& table, const Chip& chip, const Exchange& call) {
  if (call.ranks <= 1 || call.tokens <= 0) {
    return {0, 0, Status::prior, nullptr};
  }
  if (call.backend == Backend::nccl) {
    return by_nccl(table, chip, call);
  }
  const Traffic traffic = count(table, chip, call);
  switch (call.backend) {
    case Backend::low_latency:
      return by_low_latency(table, chip, call, traffic);
    case Backend::nvlink_one_sided:
    case Backend::nvlink_two_sided:
      return by_nvlink(table, chip, call, traffic);
    default:
      return by_kernel(table, chip, call, traffic);
  }
}

}  // namespace epwise::cost
