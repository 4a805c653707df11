#include "calibrate/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "calibrate/sampling/statistics.h"
#include "calibrate/work/backend.h"

namespace epwise::calibrate {

/// Combines the rounds of all ranks: the slowest time counts, and a failure on any rank is a
/// failure.
struct JointRound {
  Round round;
  int slowest = 0;
  double fastest = 0;
};

/// One rank's part of a round, as sent to the others.
std::string pack_round(const Round& round);

JointRound join_rounds(const std::vector<std::string>& parts);

namespace {

Round unpack_round(const std::string& text) {
  Round round;
  const char* at = text.c_str();
  const auto next = [&at] {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    at = end;
    return value;
  };
  round.seconds = next();
  round.beside_seconds = next();
  const double delay = next();
  if (delay >= 0) {
    round.start_delay = delay;
  }
  round.state.clock_mhz = next();
  round.state.power_w = next();
  round.state.power_capped = next() > 0;
  round.state.throttled = next() > 0;
  round.fatal = next() > 0;
  round.failure = *at == ' ' ? at + 1 : at;
  return round;
}

}  // namespace

std::string pack_round(const Round& round) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.9g} {:.9g} {} {} {} {}",
                     round.seconds,
                     round.beside_seconds,
                     round.start_delay.value_or(-1),
                     round.state.clock_mhz,
                     round.state.power_w,
                     round.state.power_capped ? 1 : 0,
                     round.state.throttled ? 1 : 0,
                     round.fatal ? 1 : 0,
                     round.failure);
}

JointRound join_rounds(const std::vector<std::string>& parts) {
  JointRound joint;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const Round part = unpack_round(parts[rank]);
    if (rank == 0) {
      joint.round = part;
      joint.fastest = part.seconds;
      continue;
    }
    Round& all = joint.round;
    if (part.seconds > all.seconds) {
      joint.slowest = static_cast<int>(rank);
    }
    joint.fastest = std::min(joint.fastest, part.seconds);
    all.seconds = std::max(all.seconds, part.seconds);
    all.beside_seconds = std::max(all.beside_seconds, part.beside_seconds);
    if (part.start_delay) {
      all.start_delay = std::max(all.start_delay.value_or(0), *part.start_delay);
    }
    all.state.clock_mhz = std::min(all.state.clock_mhz, part.state.clock_mhz);
    all.state.power_w = std::max(all.state.power_w, part.state.power_w);
    all.state.power_capped = all.state.power_capped || part.state.power_capped;
    all.state.throttled = all.state.throttled || part.state.throttled;
    all.fatal = all.fatal || part.fatal;
    if (all.failure.empty() && !part.failure.empty()) {
      all.failure = fmt::format("rank {}: {}", rank, part.failure);
    }
  }
  return joint;
}

/// State of one point.
class PointRun {
 public:
  PointRun(const Request& request, Prepared prepared) : prepared_(std::move(prepared)) {
    point_.request = request;
  }

  Point& point() { return point_; }

  Measurement* measurement() const { return prepared_.measurement.get(); }

  bool is_open() const { return open_; }

  void refuse(std::string reason) {
    point_.status = PointStatus::not_measured;
    point_.reason = std::move(reason);
    open_ = false;
    prepared_.measurement.reset();
  }

  void take(const JointRound& joint) {
    const Round& round = joint.round;
    spent_ += round.seconds;
    capped_ = capped_ || round.state.power_capped;
    if (round.state.throttled) {
      ++discarded_;
      return;
    }
    seconds_.push_back(round.seconds);
    if (round.beside_seconds > 0) {
      beside_.push_back(round.beside_seconds);
    }
    if (round.start_delay) {
      delays_.push_back(*round.start_delay);
    }
    if (round.state.clock_mhz > 0) {
      clocks_.push_back(round.state.clock_mhz);
    }
    if (round.state.power_w > 0) {
      powers_.push_back(round.state.power_w);
    }
    ++slowest_[joint.slowest];
    skews_.push_back(joint.fastest > 0 ? round.seconds / joint.fastest - 1 : 0);
  }

  bool is_done(const Stopping& rule) const {
    const int rounds = static_cast<int>(seconds_.size());
    constexpr int kMostDiscarded = 8;
    if (rounds >= rule.most_rounds || discarded_ > kMostDiscarded) {
      return true;
    }
    if (rounds < rule.least_rounds) {
      return false;
    }
    return spent_ >= rule.most_seconds || is_tight(rule);
  }

  void finish(const Stopping& rule, bool several, const std::string& cut) {
    open_ = false;
    const double memory = prepared_.measurement->memory_bytes();
    const double payload = prepared_.measurement->payload_bytes();
    prepared_.measurement.reset();
    constexpr std::size_t kLeast = 6;
    if (seconds_.size() < kLeast) {
      refuse(discarded_ > 0 ? fmt::format("thermal or hardware throttling in {} rounds", discarded_)
                            : cut);
      return;
    }
    point_.status = PointStatus::measured;
    point_.time = timing_of(seconds_);
    point_.time.discarded = discarded_;
    if (!beside_.empty()) {
      point_.beside_time = timing_of(beside_);
    }
    if (!delays_.empty()) {
      point_.start_delay = timing_of(delays_);
    }
    point_.memory_bytes = memory;
    point_.payload_bytes = payload;
    point_.clock_mhz = clocks_.empty() ? 0 : median_of(clocks_);
    point_.power_w = powers_.empty() ? 0 : median_of(powers_);
    flag(rule, several);
  }

 private:
  bool is_tight(const Stopping& rule) const {
    return tightness(timing_of(seconds_)) <= rule.tight &&
           (beside_.empty() || tightness(timing_of(beside_)) <= rule.tight);
  }

  void flag(const Stopping& rule, bool several) {
    if (has_drifted(seconds_)) {
      point_.flags.emplace_back("drift");
    }
    if (!is_tight(rule)) {
      point_.flags.emplace_back("noisy");
    }
    if (capped_) {
      point_.flags.emplace_back("power_capped");
    }
    if (discarded_ > 0) {
      point_.flags.emplace_back("throttled");
    }
    if (!several) {
      return;
    }
    const auto often =
        std::max_element(slowest_.begin(), slowest_.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        });
    point_.slowest_rank = often->first;
    point_.skew = median_of(skews_);
    constexpr double kMuchSkew = 0.05;
    if (point_.skew > kMuchSkew) {
      point_.flags.emplace_back("skew");
    }
  }

  Prepared prepared_;
  Point point_;
  bool open_ = true;
  bool capped_ = false;
  int discarded_ = 0;
  double spent_ = 0;
  std::vector<double> seconds_;
  std::vector<double> beside_;
  std::vector<double> delays_;
  std::vector<double> clocks_;
  std::vector<double> powers_;
  std::vector<double> skews_;
  std::map<int, int> slowest_;
};

/// State of one sweep.
class SweepRun {
 public:
  SweepRun(Sampler& sampler, const Sweep& sweep) : sampler_(sampler), sweep_(sweep) {}

  std::vector<Point> run() {
    for (const Request& request : sweep_.requests) {
      prepare(request);
    }
    warm_up();
    std::mt19937_64 random(sampler_.settings_.seed);
    while (cut_.empty() && any_open()) {
      go_around(random);
    }
    std::vector<Point> points;
    for (PointRun& run : runs_) {
      if (run.is_open()) {
        finish(run);
      }
      points.push_back(run.point());
    }
    return points;
  }

 private:
  const Stopping& rule() const { return sampler_.settings_.stopping; }

  bool any_open() const {
    return std::any_of(
        runs_.begin(), runs_.end(), [](const PointRun& run) { return run.is_open(); });
  }

  /// Why no further round may follow; the same on every rank. Empty: it may.
  std::string reason_to_stop() {
    const SamplerSettings& settings = sampler_.settings_;
    std::string mine;
    if (settings.is_interrupted && settings.is_interrupted()) {
      mine = kInterrupted;
    } else if (settings.deadline > 0 && settings.clock() >= settings.deadline) {
      mine = kBudgetSpent;
    }
    for (const std::string& theirs : sampler_.ranks_.all_gather(mine)) {
      if (!theirs.empty()) {
        return theirs;
      }
    }
    return {};
  }

  void prepare(const Request& request) {
    cut_ = cut_.empty() ? reason_to_stop() : cut_;
    Prepared prepared;
    if (!sampler_.fatal_.empty()) {
      prepared.reason = sampler_.fatal_;
    } else if (!cut_.empty()) {
      prepared.reason = cut_;
    } else {
      prepared = sampler_.backend_.prepare(request);
    }
    std::string refusal = agree(prepared);
    const bool fatal = refusal.starts_with(kFatal);
    refusal.erase(0, fatal ? 1 : 0);
    PointRun& run = runs_.emplace_back(request, std::move(prepared));
    if (run.measurement() != nullptr) {
      run.point().check = run.measurement()->check();
    }
    if (!refusal.empty()) {
      run.refuse(refusal);
      sampler_.fatal_ = fatal ? refusal : sampler_.fatal_;
      tell(run);
    }
  }

  static constexpr char kFatal = '!';

  /// Any rank's objection to the point; starts with kFatal if the device is lost.
  std::string agree(const Prepared& prepared) {
    std::string mine = prepared.reason;
    if (prepared.measurement != nullptr) {
      const Check& check = prepared.measurement->check();
      if (check.result == Check::Result::failed) {
        mine = fmt::format("wrong result: {}", check.what.empty() ? check.kind : check.what);
      }
    } else if (mine.empty()) {
      mine = "the backend gave no reason";
    }
    const std::vector<std::string> all =
        sampler_.ranks_.all_gather((prepared.fatal ? std::string(1, kFatal) : "") + mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (!all[rank].empty()) {
        const bool fatal = all[rank].starts_with(kFatal);
        return all.size() == 1 ? all[rank]
                               : fmt::format("{}rank {}: {}",
                                             fatal ? std::string(1, kFatal) : "",
                                             rank,
                                             all[rank].substr(fatal ? 1 : 0));
      }
    }
    return {};
  }

  void warm_up() {
    for (PointRun& run : runs_) {
      for (int i = 0; i < rule().warm_up && run.is_open(); ++i) {
        fail_if_lost(run, one_round(run));
      }
    }
  }

  JointRound one_round(PointRun& run) {
    return join_rounds(sampler_.ranks_.all_gather(pack_round(run.measurement()->round())));
  }

  /// True if the round must be discarded.
  bool fail_if_lost(PointRun& run, const JointRound& joint) {
    std::string why = joint.round.failure;
    if (why.empty() && !(joint.round.seconds > 0 && std::isfinite(joint.round.seconds))) {
      why = "the backend returned no time";
    }
    if (why.empty()) {
      return false;
    }
    if (joint.round.fatal) {
      sampler_.fatal_ = why;
      cut_ = why;
    }
    run.refuse(why);
    tell(run);
    return true;
  }

  void go_around(std::mt19937_64& random) {
    std::vector<PointRun*> order;
    for (PointRun& run : runs_) {
      if (run.is_open()) {
        order.push_back(&run);
      }
    }
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random() % i]);  // the same with every standard library
    }
    for (PointRun* run : order) {
      const JointRound joint = one_round(*run);
      if (fail_if_lost(*run, joint)) {
        continue;
      }
      run->take(joint);
      if (run->is_done(rule())) {
        finish(*run);
      }
    }
    cut_ = cut_.empty() ? reason_to_stop() : cut_;
  }

  void finish(PointRun& run) {
    run.finish(rule(), sampler_.ranks_.size() > 1, cut_);
    tell(run);
  }

  void tell(PointRun& run) const {
    if (sampler_.settings_.on_point) {
      sampler_.settings_.on_point(run.point());
    }
  }

  Sampler& sampler_;
  const Sweep& sweep_;
  std::vector<PointRun> runs_;
  std::string cut_;
};

Stopping stopping_rule(bool quick) {
  Stopping rule;
  if (quick) {
    rule.tight = 0.02;
    rule.most_rounds = 30;
    rule.most_seconds = 0.3;
  }
  return rule;
}

Sampler::Sampler(Backend& backend, Ranks& ranks, SamplerSettings settings)
    : backend_(backend),
      ranks_(ranks),
      settings_(std::move(settings)) {}

std::vector<Point> Sampler::measure(const Sweep& sweep) {
  std::vector<Point> points = SweepRun(*this, sweep).run();
  backend_.trim();
  return points;
}

}  // namespace epwise::calibrate
