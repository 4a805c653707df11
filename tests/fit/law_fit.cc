#include "fit/law_fit.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "fit/least_squares.h"

namespace epwise::fit {

namespace {

using cost::TableEntry;

constexpr double kSoftness = 0.03;

cost::Table table_of(const std::vector<TableEntry>& entries) {
  std::vector<text::Diagnostic> problems;
  auto table = cost::make_table(entries, problems);
  if (!table) {
    throw std::runtime_error(problems.front().message);
  }
  return *std::move(table);
}

TableEntry::Value& value_of(TableEntry& entry, const std::string& name) {
  const auto found = std::find_if(entry.values.begin(),
                                  entry.values.end(),
                                  [&](const TableEntry::Value& each) { return each.name == name; });
  if (found == entry.values.end()) {
    throw std::runtime_error(entry.basis.name + " has no " + name);
  }
  return *found;
}

std::vector<TableEntry::Value> fitted_of(TableEntry entry) {
  std::vector<TableEntry::Value> values;
  for (const std::string& name : entry.fitted) {
    values.push_back(value_of(entry, name));
  }
  return values;
}

std::vector<double> numbers_of(const std::vector<TableEntry::Value>& values) {
  std::vector<double> numbers;
  for (const auto& value : values) {
    numbers.push_back(value.number);
  }
  return numbers;
}

/// How large values of that name are in their law, where one stands at 0.
double typical(const std::vector<TableEntry>& entries,
               const std::string& law,
               const TableEntry::Value& value) {
  double largest = std::fabs(value.number);
  for (const TableEntry& entry : entries) {
    for (const TableEntry::Value& other : entry.values) {
      if (largest == 0 && entry.law == law && other.name == value.name) {
        largest = std::fabs(other.number);
      }
    }
  }
  return largest > 0 ? largest : 1;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (place - std::floor(place));
}

/// Logarithms of predicted over measured → errors.
std::vector<double> errors_of(std::vector<double> residuals) {
  for (double& each : residuals) {
    each = std::fabs(std::expm1(each));
  }
  return residuals;
}

Errors summary(const std::vector<double>& errors) {
  return {quantile(errors, 0.5), quantile(errors, 0.9)};
}

}  // namespace

LawFit::LawFit(std::vector<TableEntry> entries, const std::string& rows)
    : entries_(std::move(entries)),
      table_(table_of(entries_)),
      samples_(entries_.size()) {
  for (const Measurement& row : read_rows(rows, table_)) {
    std::vector<std::string> problems;
    auto request = cost::read_request(table_, row.question, problems);
    if (!request) {
      throw std::runtime_error(row.id + ": " + problems.front());
    }
    const cost::Cost cost = request->ask(table_);
    if (cost.basis == nullptr || cost.status == cost::Status::prior) {
      continue;
    }
    const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const TableEntry& each) {
      return each.basis.name == cost.basis->name;
    });
    samples_[static_cast<std::size_t>(entry - entries_.begin())].push_back(
        {request->chip->name + " " + row.shape, *std::move(request), row.seconds});
  }
}

std::vector<double> LawFit::residuals(std::size_t entry,
                                      const std::vector<Sample>& samples,
                                      const std::vector<double>& values) const {
  std::vector<TableEntry> changed = entries_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    value_of(changed[entry], changed[entry].fitted[i]).number = values[i];
  }
  const cost::Table table = table_of(changed);
  std::vector<double> result;
  for (const Sample& sample : samples) {
    result.push_back(std::log(sample.request.ask(table).seconds / sample.seconds));
  }
  return result;
}

std::vector<double> LawFit::best_values(std::size_t entry,
                                        const std::vector<Sample>& samples,
                                        const std::vector<std::vector<double>>& starts) const {
  const TableEntry& fitted = entries_[entry];
  Problem problem;
  problem.softness = kSoftness;
  for (const auto& value : fitted_of(fitted)) {
    problem.scale.push_back(typical(entries_, fitted.law, value));
    problem.low.push_back(value.least);
    problem.high.push_back(value.most);
  }
  problem.residuals = [&](const std::vector<double>& values) {
    return residuals(entry, samples, values);
  };
  std::vector<double> best;
  double least = 0;
  for (const std::vector<double>& start : starts) {
    problem.start = start;
    for (std::size_t i = 0; i < start.size(); ++i) {
      problem.start[i] = std::clamp(start[i], problem.low[i], problem.high[i]);
    }
    std::vector<double> values = minimise(problem);
    const double now = loss(problem.residuals(values), kSoftness);
    if (best.empty() || now < least) {
      best = std::move(values);
      least = now;
    }
  }
  return best;
}

std::vector<double> LawFit::crossed_errors(std::size_t entry,
                                           const std::vector<double>& values) const {
  std::set<std::string> groups;
  for (const Sample& sample : samples_[entry]) {
    groups.insert(sample.group);
  }
  std::vector<double> errors;
  for (const std::string& group : groups) {
    std::vector<Sample> kept;
    std::vector<Sample> left_out;
    for (const Sample& sample : samples_[entry]) {
      (sample.group == group ? left_out : kept).push_back(sample);
    }
    if (kept.size() < values.size()) {
      continue;
    }
    const auto without = best_values(entry, kept, {values});
    const auto more = errors_of(residuals(entry, left_out, without));
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return errors;
}

Outcome LawFit::fit(std::size_t entry, bool cross) const {
  const std::vector<Sample>& samples = samples_[entry];
  const auto values = fitted_of(entries_[entry]);
  const std::vector<double> present = numbers_of(values);
  std::vector<double> smaller;
  std::vector<double> larger;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double size = typical(entries_, entries_[entry].law, values[i]);
    smaller.push_back(0.7 * size);
    larger.push_back(i % 2 == 0 ? 1.4 * size : 0.8 * size);
  }
  Outcome outcome;
  outcome.values = best_values(entry, samples, {present, smaller, larger});
  const auto then = residuals(entry, samples, present);
  const auto now = residuals(entry, samples, outcome.values);
  outcome.loss = loss(now, kSoftness);
  outcome.present_loss = loss(then, kSoftness);
  outcome.errors = summary(errors_of(now));
  outcome.present = summary(errors_of(then));
  if (cross) {
    outcome.crossed = summary(crossed_errors(entry, outcome.values));
  }
  return outcome;
}

}  // namespace epwise::fit
