#include "yaml/problem_list.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace epwise::yaml {

std::vector<text::Diagnostic> readable_list(std::vector<text::Diagnostic> problems) {
  constexpr int kMostOfAKind = 100;
  std::stable_sort(
      problems.begin(), problems.end(), [](const text::Diagnostic& a, const text::Diagnostic& b) {
        return a.mark.begin < b.mark.begin;
      });
  std::map<std::string, int> total;
  for (const text::Diagnostic& each : problems) {
    ++total[each.rule];
  }
  std::map<std::string, int> seen;
  std::vector<text::Diagnostic> kept;
  for (text::Diagnostic& each : problems) {
    const int number = ++seen[each.rule];
    const int left_out = total[each.rule] - kMostOfAKind;
    if (number == kMostOfAKind && left_out > 0) {
      each.message += fmt::format(" ({} more of this kind follow)", left_out);
    }
    if (number <= kMostOfAKind) {
      kept.push_back(std::move(each));
    }
  }
  return kept;
}

}  // namespace epwise::yaml
