#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "advise/space.h"

namespace epwise::advise {

/// The search's objective for a candidate; lower is better. Infinite: unusable.
using Cost = double;

/// Costs from here on are of candidates that run nowhere but can be compared, such as those that do
/// not fit in memory: the search passes through them and does not return them.
constexpr Cost kUnfit = 1e12;

/// The search space and its objective.
struct Landscape {
  /// Positions allowed for each axis, the present one first.
  std::vector<std::vector<Position>> positions;
  /// Axes that must be combined because one alone rarely makes sense: sizes of the parallel layout.
  /// The others are tried one and two at a time.
  std::vector<bool> layout;
  /// Axes that are not combined with others; empty: none.
  std::vector<bool> alone;
  /// Axes that are added after the others have been searched; empty: none.
  std::vector<bool> later;
  std::function<Candidate(Candidate)> canonical;
  /// Whether a cheap check forbids it; worker as in `cost`.
  std::function<bool(std::size_t worker, const Candidate&)> impossible;
  /// Called by several workers concurrently, each with its own number from 0.
  std::function<Cost(std::size_t worker, const Candidate&)> cost;
};

struct SearchBounds {
  std::vector<Candidate> seeds;   // further starts
  std::size_t exhaustive = 1500;  // spaces up to this size are searched exhaustively
  std::size_t starts = 6;         // layouts from which the other axes are improved
  std::size_t layouts = 4000;     // that are evaluated at most
  std::size_t rounds = 4;
  std::size_t workers = 1;
  std::size_t looks = 3200;                 // approximate number of evaluations
  std::size_t later_looks = 1200;           // further ones with the later axes
  double seconds = 60;                      // no new round starts after it
  const std::atomic<bool>* stop = nullptr;  // whether a caller needs the best candidate so far
  std::function<void(std::size_t done, std::size_t planned)> progress;
};

struct Visit {
  Candidate candidate;
  Cost cost = 0;
};

struct SearchResult {
  std::vector<Visit> visits;         // usable candidates, best first; ties in candidate order
  std::optional<Visit> least_unfit;  // the cheapest from kUnfit on
  std::size_t looked_at = 0;         // evaluated candidates
  std::size_t skipped = 0;           // candidates that arithmetic forbids
  bool exhaustive = false;
  bool stopped = false;
};

/// Finds the cheapest candidates of a landscape. Small spaces are searched exhaustively. In large
/// ones, the layout axes are combined exhaustively (rejecting by arithmetic is nearly free), the
/// other axes are improved one and two at a time from the best layouts, and both steps repeat until
/// nothing improves. Deterministic for any number of workers, unless interrupted or out of time.
SearchResult search(const Landscape& landscape, const SearchBounds& bounds = {});

}  // namespace epwise::advise
