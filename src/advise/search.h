#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "advise/space.h"

namespace epwise::advise {

/// What the search is told about a candidate; the lower, the better. Infinite: not usable.
using Cost = double;

/// The world as the search sees it.
struct Landscape {
  /// Positions that each axis may take, the present first.
  std::vector<std::vector<Position>> positions;
  /// Axes that must be tried together, because one alone seldom makes sense: sizes of the parallel
  /// layout. The others are tried one and two at a time.
  std::vector<bool> layout;
  std::function<Candidate(Candidate)> canonical;
  /// Whether a cheap look forbids it; worker as in `cost`.
  std::function<bool(std::size_t worker, const Candidate&)> impossible;
  /// Called by several workers at once, each with its own number from 0.
  std::function<Cost(std::size_t worker, const Candidate&)> cost;
};

struct SearchBounds {
  std::size_t exhaustive = 1500;  // spaces up to this size are searched as a whole
  std::size_t starts = 6;         // layouts from which the other axes are improved
  std::size_t layouts = 4000;     // that are asked for their cost at most
  std::size_t rounds = 4;
  std::size_t workers = 1;
  std::size_t looks = 3000;                 // costs that are asked for, about
  double seconds = 60;                      // no new round begins after it
  const std::atomic<bool>* stop = nullptr;  // somebody wants the best so far
  std::function<void(std::size_t done, std::size_t planned)> progress;
};

struct Visit {
  Candidate candidate;
  Cost cost = 0;
};

struct SearchResult {
  std::vector<Visit> visits;  // usable ones, the best first; equal ones by candidate
  std::size_t looked_at = 0;  // candidates whose cost was asked for
  std::size_t skipped = 0;    // that arithmetic forbade
  bool exhaustive = false;
  bool stopped = false;
};

/// The cheapest candidates of a landscape. Small spaces are searched as a whole. In large ones the
/// layout's axes are combined in full (what arithmetic forbids costs next to nothing), the others
/// improved one and two at a time from the best layouts, and both again until nothing gets better.
/// Deterministic, whatever the number of workers, unless it is stopped or runs out of time.
SearchResult search(const Landscape& landscape, const SearchBounds& bounds = {});

}  // namespace epwise::advise
