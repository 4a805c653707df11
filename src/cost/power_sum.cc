#include "cost/power_sum.h"

#include <algorithm>
#include <cmath>

namespace epwise::cost {

double power_sum(std::initializer_list<double> terms) {
  const double greatest = std::max(terms);
  if (greatest <= 0) {
    return 0;
  }
  double sum = 0;
  for (const double term : terms) {
    const double square = (term / greatest) * (term / greatest);
    sum += square * square;
  }
  return greatest * std::sqrt(std::sqrt(sum));
}

}  // namespace epwise::cost
