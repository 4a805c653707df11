#include "calibrate/fits/fits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "calibrate/fits/laws.h"

namespace epwise::calibrate {

namespace {

/// Samples by the id of their fit.
using Groups = std::map<std::string, std::vector<Sample>>;

Sample sample_of(const Point& point) {
  return {point.request.id, {}, point.time.median, point.time.relative_sd()};
}

std::string scope_prefix(const Request& request) {
  return request.scope == Scope::device ? "" : fmt::format("{}.", to_string(request.scope));
}

std::string gemm_name(const Work& work) {
  return work.kernel == Kernel::gemm
             ? fmt::format("gemm.{}", format_word(work.format))
             : fmt::format("grouped.{}.{}", to_string(work.stage), format_word(work.format));
}

class Sorter {
 public:
  explicit Sorter(const Calibration& calibration) : calibration_(calibration) {}

  void sort() {
    for (const Point& point : calibration_.points) {
      // Points next to pairs were measured for their ratios; the same work exists elsewhere.
      if (point.has_time() && !point.request.beside &&
          !point.request.id.starts_with("contention.")) {
        place(point);
      }
    }
    sort_contention();
  }

  Groups curves;
  Groups lines;
  Groups tables;
  Groups surfaces;
  std::vector<Sample> contention;

 private:
  void place(const Point& point) {
    const Work& work = point.request.work;
    Sample sample = sample_of(point);
    if (is_collective(work.kernel)) {
      sample.query.bytes = work.shape.bytes;
      lines[fmt::format("{}{}.r{}{}",
                        scope_prefix(point.request),
                        to_string(work.kernel),
                        work.shape.ranks,
                        work.sms > 0 ? fmt::format(".k{}", work.sms) : "")]
          .push_back(sample);
    } else if (is_exchange(work.kernel) && work.sms > 0 && !(work.pace > 0)) {
      sample.query.bytes = point.payload_bytes;
      sample.query.sms = work.sms;
      curves[fmt::format("{}{}.{}.{}.h{}.r{}",
                         scope_prefix(point.request),
                         to_string(work.kernel),
                         to_string(work.structure),
                         format_word(work.format),
                         work.shape.hidden,
                         work.shape.ranks)]
          .push_back(sample);
    } else if (is_gemm(work.kernel)) {
      place_gemm(point, sample);
    }
  }

  void place_gemm(const Point& point, Sample sample) {
    const Work& work = point.request.work;
    const std::string name = gemm_name(work);
    if (work.sms > 0) {
      sample.query.sms = work.sms;
      tables[fmt::format("{}.sms.{}", name, to_string(work.placement))].push_back(sample);
      return;
    }
    sample.query.m = static_cast<double>(work.shape.m);
    sample.query.n = static_cast<double>(work.shape.n);
    sample.query.k = static_cast<double>(work.shape.k);
    sample.query.groups = std::max(static_cast<double>(work.shape.groups), 1.0);
    surfaces[name].push_back(sample);
  }

  /// The point of the same work alone, measured in the same sweep as the pair.
  const Point* alone(const Work& work, const Point& pair) const {
    const std::string& id = pair.request.id;
    const std::string sweep = id.substr(0, id.find('.', id.find('.') + 1) + 1);
    for (const Point& point : calibration_.points) {
      if (point.has_time() && !point.request.beside && point.request.work == work &&
          point.request.id.starts_with(sweep)) {
        return &point;
      }
    }
    return nullptr;
  }

  void sort_contention() {
    double best_rate = 0;
    for (const Point& point : calibration_.points) {
      if (point.has_time() && point.request.work.kernel == Kernel::hbm_copy) {
        best_rate = std::max(best_rate, point.memory_bytes / point.time.median);
      }
    }
    for (const Point& point : calibration_.points) {
      if (point.has_time() && point.request.beside) {
        place_pair(point, best_rate);
      }
    }
  }

  void place_pair(const Point& pair, double best_rate) {
    const Work& beside = *pair.request.beside;
    const Point* const compute = alone(pair.request.work, pair);
    const Point* const exchange = alone(beside, pair);
    const double total = calibration_.environment.device.sms;
    if (compute == nullptr || beside.sms <= 0 || total <= beside.sms) {
      return;
    }
    Sample sample = sample_of(pair);
    sample.query.sms = beside.sms;
    sample.query.total_sms = total;
    sample.value = pair.time.median / compute->time.median;
    sample.relative_sd = std::hypot(sample.relative_sd, compute->time.relative_sd());
    if (beside.kernel == Kernel::occupier) {
      contention.push_back(sample);
      return;
    }
    if (exchange == nullptr || best_rate <= 0) {
      return;  // without the memory rate, the exchange's share is unknown
    }
    sample.query.memory_share = exchange->memory_bytes / exchange->time.median / best_rate;
    contention.push_back(sample);
    if (pair.beside_time) {
      sample.query.of_exchange = true;
      sample.value = pair.beside_time->median / exchange->time.median;
      sample.relative_sd =
          std::hypot(pair.beside_time->relative_sd(), exchange->time.relative_sd());
      contention.push_back(sample);
    }
  }

  const Calibration& calibration_;
};

void add_fits(std::string_view form, const Groups& groups, std::vector<Fit>& fits) {
  for (const auto& [id, samples] : groups) {
    if (std::optional<Fit> fit = fit_law(form, id, samples)) {
      fits.push_back(std::move(*fit));
    }
  }
}

}  // namespace

std::vector<Fit> fit_all(const Calibration& calibration) {
  Sorter sorter(calibration);
  sorter.sort();
  std::vector<Fit> fits;
  if (auto contention = fit_law("contention", "contention", sorter.contention)) {
    fits.push_back(std::move(*contention));
  }
  add_fits("sm_curve", sorter.curves, fits);
  add_fits("message_line", sorter.lines, fits);
  add_fits("sm_table", sorter.tables, fits);
  add_fits("gemm_surface", sorter.surfaces, fits);
  return fits;
}

}  // namespace epwise::calibrate
