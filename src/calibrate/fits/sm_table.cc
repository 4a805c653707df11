#include "calibrate/fits/sm_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace epwise::calibrate {

namespace {

constexpr double kMicro = 1e-6;
constexpr double kLeastSd = 1e-4;

/// Neighbouring knots that go up together.
struct Block {
  double log_time = 0;
  double weight = 0;
  std::size_t knots = 1;
};

struct Knot {
  double log_time = 0;  // mean of its samples, weighted
  double weight = 0;    // 1 / variance
  std::string point;
};

void add(Knot& knot, const Sample& sample) {
  const double sd = std::max(sample.relative_sd, kLeastSd);
  const double weight = 1 / (sd * sd);
  knot.log_time =
      (knot.log_time * knot.weight + std::log(sample.value) * weight) / (knot.weight + weight);
  knot.weight += weight;
  knot.point = sample.point;
}

/// Pools adjacent violators; `knots` by rising SMs, times must not rise.
std::vector<Block> falling(const std::map<double, Knot>& knots) {
  std::vector<Block> blocks;
  for (const auto& [sms, knot] : knots) {
    blocks.push_back({knot.log_time, knot.weight, 1});
    while (blocks.size() > 1 && blocks.back().log_time > blocks[blocks.size() - 2].log_time) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& merged = blocks.back();
      merged.log_time = (merged.log_time * merged.weight + last.log_time * last.weight) /
                        (merged.weight + last.weight);
      merged.weight += last.weight;
      merged.knots += last.knots;
    }
  }
  return blocks;
}

double sms_of(const std::string& name) {
  return std::strtod(name.c_str() + 1, nullptr);  // "t96_us"
}

}  // namespace

std::optional<Fit> fit_sm_table(std::string id, const std::vector<Sample>& samples) {
  std::map<double, Knot> knots;
  for (const Sample& sample : samples) {
    add(knots[sample.query.sms], sample);
  }
  if (knots.size() < 2) {
    return std::nullopt;
  }
  std::vector<double> log_times;
  for (const Block& block : falling(knots)) {
    log_times.insert(log_times.end(), block.knots, block.log_time);
  }
  Fit fit;
  fit.id = std::move(id);
  fit.form = "sm_table";
  fit.covariance.assign(knots.size(), std::vector<double>(knots.size(), 0));
  double sum = 0;
  std::size_t at = 0;
  for (const auto& [sms, knot] : knots) {
    fit.names.push_back(fmt::format("t{:g}_us", sms));
    fit.values.push_back(std::exp(log_times[at]) / kMicro);
    fit.covariance[at][at] = 1 / knot.weight;
    const double off = std::abs(log_times[at] - knot.log_time);
    sum += off * off;
    if (off >= fit.residual.largest) {
      fit.residual.largest = off;
      fit.residual.worst = knot.point;
    }
    ++at;
  }
  fit.residual.rms = std::sqrt(sum / static_cast<double>(knots.size()));
  constexpr int kMany = 1000;  // each knot's deviation comes from its own rounds
  fit.residual.points = static_cast<int>(samples.size());
  fit.residual.degrees = kMany;
  fit.range["sms"] = {knots.begin()->first, knots.rbegin()->first};
  return fit;
}

double sm_table_value(const std::vector<std::string>& names,
                      const std::vector<double>& values,
                      double sms) {
  if (names.empty() || names.size() != values.size()) {
    return 0;
  }
  std::size_t right = 0;
  while (right + 1 < names.size() && sms_of(names[right]) < sms) {
    ++right;
  }
  const std::size_t left = right == 0 ? 0 : right - 1;
  const double from = sms_of(names[left]);
  const double to = sms_of(names[right]);
  const double share = to > from ? std::clamp((sms - from) / (to - from), 0.0, 1.0) : 1;
  return (values[left] + share * (values[right] - values[left])) * kMicro;
}

}  // namespace epwise::calibrate
