#include "advise/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/os/workers.h"

namespace epwise::advise {

namespace {

constexpr Cost kNever = std::numeric_limits<Cost>::infinity();

/// Work on indices, distributed to workers; results go into slots, so their order is fixed.
void for_each(std::size_t count,
              std::size_t workers,
              const std::function<void(std::size_t worker, std::size_t index)>& work) {
  std::atomic<std::size_t> next{0};
  os::run_workers(std::clamp<std::size_t>(count, 1, std::max<std::size_t>(workers, 1)),
                  [&](std::size_t worker) {
                    for (std::size_t i = next++; i < count; i = next++) {
                      work(worker, i);
                    }
                  });
}

class Searcher {
 public:
  Searcher(const Landscape& landscape, const SearchBounds& bounds)
      : landscape_(landscape),
        bounds_(bounds),
        allowed_(bounds.looks),
        begin_(std::chrono::steady_clock::now()) {}

  SearchResult run() {
    ask({start()});
    double size = 1;
    for (const auto& positions : landscape_.positions) {
      size *= static_cast<double>(positions.size());
    }
    result_.exhaustive = size <= static_cast<double>(bounds_.exhaustive);
    if (result_.exhaustive) {
      ask(combinations(start(), [](std::size_t) { return true; }));
    } else {
      improve();
    }
    for (const auto& [candidate, cost] : known_) {
      if (cost < kUnfit) {
        result_.visits.push_back({candidate, cost});
      } else if (cost < kNever && (!result_.least_unfit || cost < result_.least_unfit->cost)) {
        result_.least_unfit = Visit{candidate, cost};
      }
    }
    std::ranges::sort(result_.visits, [](const Visit& a, const Visit& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.candidate < b.candidate;
    });
    return std::move(result_);
  }

 private:
  Candidate start() const { return Candidate(landscape_.positions.size(), 0); }

  bool over() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    const bool told = bounds_.stop != nullptr && *bounds_.stop;
    result_.stopped = result_.stopped || told || passed.count() > bounds_.seconds;
    return result_.stopped || result_.looked_at >= allowed_;
  }

  /// Costs of all candidates not yet evaluated.
  void ask(const std::vector<Candidate>& candidates) {
    std::set<Candidate> fresh;
    for (const Candidate& candidate : candidates) {
      Candidate plain = landscape_.canonical(candidate);
      if (!known_.contains(plain)) {
        fresh.insert(std::move(plain));
      }
    }
    const std::vector<Candidate> list(fresh.begin(), fresh.end());
    constexpr std::size_t kPortion = 256;  // between two checks of the clock
    for (std::size_t first = 0; first < list.size() && !(first > 0 && over()); first += kPortion) {
      const std::size_t count = std::min(kPortion, list.size() - first);
      std::vector<Cost> costs(count, kNever);
      std::vector<char> skipped(count, 0);
      for_each(count, bounds_.workers, [&](std::size_t worker, std::size_t i) {
        const Candidate& candidate = list[first + i];
        if (landscape_.impossible(worker, candidate)) {
          skipped[i] = 1;
        } else {
          costs[i] = landscape_.cost(worker, candidate);
        }
      });
      for (std::size_t i = 0; i < count; ++i) {
        known_.emplace(list[first + i], costs[i]);
        result_.skipped += skipped[i] != 0 ? 1U : 0U;
        result_.looked_at += skipped[i] == 0 ? 1U : 0U;
      }
      if (bounds_.progress) {
        bounds_.progress(result_.looked_at, result_.looked_at + list.size() - first - count);
      }
    }
  }

  /// A candidate with every combination of some axes.
  std::vector<Candidate> combinations(const Candidate& from,
                                      const std::function<bool(std::size_t)>& varies) const {
    std::vector<Candidate> all{from};
    for (std::size_t axis = 0; axis < landscape_.positions.size(); ++axis) {
      if (!varies(axis)) {
        continue;
      }
      std::vector<Candidate> more;
      for (const Candidate& each : all) {
        for (const Position position : landscape_.positions[axis]) {
          Candidate copy = each;
          copy[axis] = position;
          more.push_back(std::move(copy));
        }
      }
      all = std::move(more);
    }
    return all;
  }

  Cost cost_of(const Candidate& candidate) const {
    const auto found = known_.find(landscape_.canonical(candidate));
    return found == known_.end() ? kNever : found->second;
  }

  const Candidate& best(const std::vector<Candidate>& candidates) const {
    return *std::ranges::min_element(candidates, [&](const Candidate& a, const Candidate& b) {
      const Cost of_a = cost_of(a);
      const Cost of_b = cost_of(b);
      return of_a != of_b ? of_a < of_b : a < b;
    });
  }

  bool is_layout(std::size_t axis) const { return landscape_.layout[axis]; }

  bool is_alone(std::size_t axis) const {
    return !landscape_.alone.empty() && landscape_.alone[axis];
  }

  /// Not yet part of the search.
  bool is_closed(std::size_t axis) const {
    return !with_later_ && !landscape_.later.empty() && landscape_.later[axis];
  }

  /// All candidates that differ from it in one axis, or in one or two.
  std::vector<Candidate> neighbours(const Candidate& from, bool layout_too, bool pairs) const {
    std::vector<Candidate> all;
    const std::size_t axes = landscape_.positions.size();
    for (std::size_t a = 0; a < axes; ++a) {
      for (std::size_t b = a; b < (pairs ? axes : a + 1); ++b) {
        if ((!layout_too && (is_layout(a) || is_layout(b))) || is_closed(a) || is_closed(b) ||
            (a != b && (is_alone(a) || is_alone(b)))) {
          continue;
        }
        const auto pair =
            combinations(from, [&](std::size_t axis) { return axis == a || axis == b; });
        all.insert(all.end(), pair.begin(), pair.end());
      }
    }
    return all;
  }

  /// Descends until no neighbour is cheaper: one axis at a time, and two where one does not help.
  Candidate descend(Candidate at, bool layout_too, bool pairs) {
    bool both = false;
    for (std::size_t round = 0; round < kMostSteps && !over(); ++round) {
      const std::vector<Candidate> near = neighbours(at, layout_too, both);
      ask(near);
      const Candidate& next = best(near);
      if (cost_of(next) < cost_of(at)) {
        at = next;
        both = false;
      } else if (pairs && !both) {
        both = true;
      } else {
        break;
      }
    }
    return at;
  }

  void find_possible() {
    std::vector<Candidate> all =
        combinations(start(), [&](std::size_t axis) { return is_layout(axis); });
    std::vector<char> bad(all.size(), 0);
    for_each(all.size(), bounds_.workers, [&](std::size_t worker, std::size_t i) {
      bad[i] = landscape_.impossible(worker, all[i]) ? 1 : 0;
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      result_.skipped += bad[i] != 0 ? 1U : 0U;
      if (bad[i] == 0) {
        possible_.push_back(std::move(all[i]));
      }
    }
  }

  /// The possible layouts with everything else as in `like`.
  std::vector<Candidate> layouts(const Candidate& like) {
    if (possible_.empty()) {
      find_possible();
    }
    // the nearest first: a budget that ends earlier leaves out the most distant ones
    const auto apart = [&](const Candidate& layout) {
      std::size_t axes = 0;
      for (std::size_t axis = 0; axis < layout.size(); ++axis) {
        axes += is_layout(axis) && layout[axis] != like[axis] ? 1U : 0U;
      }
      return axes;
    };
    std::ranges::stable_sort(possible_, {}, apart);
    std::vector<Candidate> list;
    for (const Candidate& layout : possible_) {
      Candidate candidate = like;
      for (std::size_t axis = 0; axis < layout.size(); ++axis) {
        candidate[axis] = is_layout(axis) ? layout[axis] : like[axis];
      }
      list.push_back(std::move(candidate));
    }
    const std::size_t left = allowed_ > result_.looked_at ? allowed_ - result_.looked_at : 0;
    const std::size_t most = std::min(bounds_.layouts, std::max<std::size_t>(left / 3, 1));
    if (list.size() > most) {
      list.resize(most);
    }
    return list;
  }

  /// First without the later axes, so that freeing them never gives less.
  void improve() {
    with_later_ = false;
    improve_from(descend(start(), false, true));
    if (std::ranges::find(landscape_.later, true) != landscape_.later.end()) {
      with_later_ = true;
      allowed_ = result_.looked_at + bounds_.later_looks;
      improve_from(descend(best_known(), false, true));
    }
  }

  const Candidate& best_known() const {
    return std::ranges::min_element(known_, {}, [](const auto& each) { return each.second; })
        ->first;
  }

  /// Descends from the best seeds; layouts may change with the rest.
  Candidate from_seeds(Candidate at) {
    ask(bounds_.seeds);
    std::vector<Candidate> seeds = bounds_.seeds;
    std::ranges::stable_sort(seeds, {}, [&](const Candidate& seed) { return cost_of(seed); });
    seeds.resize(std::min(seeds.size(), bounds_.starts));
    for (const Candidate& seed : seeds) {
      if (over() || cost_of(seed) == kNever) {
        continue;
      }
      const Candidate end = descend(landscape_.canonical(seed), true, false);
      if (cost_of(end) < cost_of(at)) {
        at = end;
      }
    }
    return at;
  }

  Candidate improve_from(Candidate at) {
    at = from_seeds(std::move(at));
    for (std::size_t round = 0; round < bounds_.rounds && !over(); ++round) {
      std::vector<Candidate> list = layouts(at);
      ask(list);
      std::ranges::sort(list, [&](const Candidate& a, const Candidate& b) {
        const Cost of_a = cost_of(a);
        const Cost of_b = cost_of(b);
        return of_a != of_b ? of_a < of_b : a < b;
      });
      Candidate before = at;
      const std::size_t count = std::min(bounds_.starts, list.size());
      for (std::size_t i = 0; i < count && !over(); ++i) {
        if (cost_of(list[i]) == kNever) {
          break;
        }
        const Candidate end = descend(list[i], false, false);
        if (cost_of(end) < cost_of(at)) {
          at = end;
        }
      }
      at = descend(at, true, true);
      if (!(cost_of(at) < cost_of(before))) {
        break;
      }
    }
    return at;
  }

  static constexpr std::size_t kMostSteps = 20;

  const Landscape& landscape_;
  const SearchBounds& bounds_;
  std::size_t allowed_;  // evaluations so far
  std::chrono::steady_clock::time_point begin_;
  std::map<Candidate, Cost> known_;
  std::vector<Candidate> possible_;
  bool with_later_ = true;
  SearchResult result_;
};

}  // namespace

SearchResult search(const Landscape& landscape, const SearchBounds& bounds) {
  return Searcher(landscape, bounds).run();
}

}  // namespace epwise::advise
