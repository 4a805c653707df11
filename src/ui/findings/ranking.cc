#include "ui/findings/ranking.h"

#include <utility>

namespace epwise::report {

void Ranking::add(int rank, std::size_t sequence, std::string text) {
  if (!takes(rank)) {
    return;
  }
  bytes_ += text.size();
  ++kept_;
  entries_[rank].push_back({rank, sequence, std::move(text)});
  while (kept_ > most_ || bytes_ > most_bytes_) {
    const auto least = std::prev(entries_.end());
    bytes_ -= least->second.back().text.size();
    --kept_;
    least->second.pop_back();
    if (least->second.empty()) {
      entries_.erase(least);
    }
  }
}

std::vector<Ranking::Entry> Ranking::take() {
  std::vector<Entry> all;
  all.reserve(kept_);
  for (auto& [rank, entries] : entries_) {
    for (Entry& entry : entries) {
      all.push_back(std::move(entry));
    }
  }
  entries_.clear();
  kept_ = 0;
  bytes_ = 0;
  return all;
}

}  // namespace epwise::report
