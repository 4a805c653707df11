#include "advise/search.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>

#include <doctest/doctest.h>

namespace epwise::advise {

namespace {

constexpr Cost kNever = std::numeric_limits<Cost>::infinity();

/// A made-up recipe: each axis has its own effect, pairs of axes interact, some combinations are
/// not possible. Layout axes interact more, as sizes of a parallel layout do.
class Country {
 public:
  Country(std::uint32_t seed, std::vector<int> sizes, std::size_t layout_axes)
      : sizes_(std::move(sizes)),
        layout_axes_(layout_axes),
        seed_(seed) {}

  Landscape landscape() const {
    Landscape made;
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
      std::vector<Position> positions;
      for (int i = 0; i < sizes_[axis]; ++i) {
        positions.push_back(static_cast<Position>(i));
      }
      made.positions.push_back(positions);
      made.layout.push_back(axis < layout_axes_);
    }
    made.canonical = [](Candidate candidate) { return candidate; };
    made.impossible = [this](std::size_t, const Candidate& candidate) {
      return noise(candidate[0] * 7 + candidate[1], 99) < 0.2;
    };
    made.cost = [this](std::size_t, const Candidate& candidate) { return cost(candidate); };
    return made;
  }

  Cost cost(const Candidate& candidate) const {
    double sum = 10;
    for (std::size_t a = 0; a < sizes_.size(); ++a) {
      sum += noise(candidate[a], static_cast<int>(a));
      for (std::size_t b = 0; b < a; ++b) {
        const double weight = a < layout_axes_ ? 0.5 : 0.1;
        sum += weight * noise(candidate[a] * 16 + candidate[b], static_cast<int>(100 + a * 20 + b));
      }
    }
    return noise(candidate[0] + 31 * candidate.back(), 7) < 0.15 ? kNever : sum;
  }

  Visit best() const {
    const Landscape made = landscape();
    Visit found{{}, kNever};
    Candidate at(sizes_.size(), 0);
    while (true) {
      const Cost here = made.impossible(0, at) ? kNever : cost(at);
      if (here < found.cost || (here == found.cost && at < found.candidate)) {
        found = {at, here};
      }
      std::size_t axis = 0;
      while (axis < at.size() && ++at[axis] == sizes_[axis]) {
        at[axis++] = 0;
      }
      if (axis == at.size()) {
        return found;
      }
    }
  }

  const std::vector<int>& sizes() const { return sizes_; }

 private:
  double noise(int place, int kind) const {
    std::uint64_t x = seed_ * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(place) * 1009 +
                      static_cast<std::uint64_t>(kind) * 9176;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
  }

  std::vector<int> sizes_;
  std::size_t layout_axes_;
  std::uint64_t seed_;
};

}  // namespace

TEST_CASE("a small space is searched as a whole") {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const Country country(seed, {3, 4, 2, 3, 2}, 2);
    const SearchResult result = search(country.landscape());
    CHECK(result.exhaustive);
    CHECK(result.looked_at + result.skipped == 3 * 4 * 2 * 3 * 2);
    REQUIRE_FALSE(result.visits.empty());
    CHECK(result.visits.front().candidate == country.best().candidate);
  }
}

TEST_CASE("steps from the best layouts find what looking at everything finds") {
  int same = 0;
  constexpr int kCases = 20;
  for (std::uint32_t seed = 1; seed <= kCases; ++seed) {
    const Country country(seed, {4, 4, 3, 3, 2, 3}, 3);
    SearchBounds bounds;
    bounds.exhaustive = 0;
    bounds.seconds = 600;
    const SearchResult result = search(country.landscape(), bounds);
    CHECK_FALSE(result.exhaustive);
    CHECK(result.looked_at < 4 * 4 * 3 * 3 * 2 * 3);
    REQUIRE_FALSE(result.visits.empty());
    same += result.visits.front().cost == country.best().cost ? 1 : 0;
  }
  CHECK(same == kCases);
}

TEST_CASE("a random search with ten times the evaluations finds nothing better") {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Country country(seed, {4, 5, 4, 3, 4, 7, 2, 4, 5}, 4);
    SearchBounds bounds;
    bounds.seconds = 600;
    const SearchResult result = search(country.landscape(), bounds);
    REQUIRE_FALSE(result.visits.empty());
    const Landscape made = country.landscape();
    std::mt19937 random(seed);
    Cost best = kNever;
    for (std::size_t i = 0; i < 10 * result.looked_at; ++i) {
      Candidate candidate;
      for (const int size : country.sizes()) {
        candidate.push_back(static_cast<Position>(random() % static_cast<unsigned>(size)));
      }
      if (!made.impossible(0, candidate)) {
        best = std::min(best, made.cost(0, candidate));
      }
    }
    CHECK(result.visits.front().cost <= best);
  }
}

TEST_CASE("two workers find what one finds") {
  const Country country(3, {4, 5, 4, 3, 4, 7, 2}, 3);
  SearchBounds bounds;
  bounds.exhaustive = 0;
  bounds.seconds = 600;
  const SearchResult one = search(country.landscape(), bounds);
  bounds.workers = 2;
  const SearchResult two = search(country.landscape(), bounds);
  CHECK(one.looked_at == two.looked_at);
  REQUIRE(one.visits.size() == two.visits.size());
  for (std::size_t i = 0; i < one.visits.size(); ++i) {
    CHECK(one.visits[i].candidate == two.visits[i].candidate);
  }
}

TEST_CASE("who wants the best so far gets it") {
  const Country country(3, {4, 5, 4, 3, 4, 7, 2}, 3);
  std::atomic<bool> stop{false};
  SearchBounds bounds;
  bounds.exhaustive = 0;
  bounds.stop = &stop;
  bounds.progress = [&](std::size_t done, std::size_t) { stop = done > 100; };
  const SearchResult result = search(country.landscape(), bounds);
  CHECK(result.stopped);
  CHECK(result.looked_at < 1500);
  CHECK_FALSE(result.visits.empty());
}

TEST_CASE("freeing a further axis never gives a worse result") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Country country(seed, {4, 4, 3, 3, 2, 3}, 3);
    Landscape wide = country.landscape();
    wide.later = {false, false, false, true, false, false};
    Landscape narrow = country.landscape();
    narrow.positions[3] = {0};
    SearchBounds bounds;
    bounds.exhaustive = 0;
    bounds.seconds = 600;
    const SearchResult more = search(wide, bounds);
    const SearchResult less = search(narrow, bounds);
    REQUIRE_FALSE(less.visits.empty());
    REQUIRE_FALSE(more.visits.empty());
    CHECK(more.visits.front().cost <= less.visits.front().cost);
  }
}

TEST_CASE("a search begins at its seeds too, and passes through what does not fit") {
  const Country country(3, {4, 4, 3, 3, 2, 3}, 3);
  Landscape made = country.landscape();
  const Candidate best = country.best().candidate;
  made.cost = [&](std::size_t, const Candidate& candidate) {
    int away = 0;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      away += candidate[i] == best[i] ? 0 : 1;
    }
    return away == 0 ? 1.0 : kUnfit * (1 + away);
  };
  SearchBounds bounds;
  bounds.exhaustive = 0;
  bounds.seconds = 600;
  const SearchResult found = search(made, bounds);
  REQUIRE(found.visits.size() == 1);
  CHECK(found.visits.front().candidate == best);
  REQUIRE(found.least_unfit.has_value());
  CHECK(found.least_unfit->cost == kUnfit * 2);
  bounds.looks = 1;
  bounds.seeds = {best};
  CHECK(search(made, bounds).visits.size() == 1);
}

}  // namespace epwise::advise
