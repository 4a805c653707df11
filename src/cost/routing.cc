#include "cost/routing.h"

#include <algorithm>

namespace epwise::cost {

namespace {

/// C(n - part, k) / C(n, k): no pick of k falls into `part` of n.
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

}  // namespace epwise::cost
