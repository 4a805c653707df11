#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/explain/job_messages.h"
#include "commands/explain/literal_scan.h"

namespace epwise::audit {

namespace {

/// The number directly after some words.
std::optional<std::int64_t> number_after(std::string_view line, std::string_view words) {
  const auto at = line.rfind(words);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  line.remove_prefix(at + words.size());
  std::int64_t number = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// "PG GUID 37(EXPERT_MODEL_PARALLEL_GROUP) Rank 4" → the name in the brackets; else empty.
std::string process_group_of(std::string_view line) {
  const auto guid = line.find("PG GUID ");
  const auto open = line.find('(', guid);
  const auto close = line.find(')', open);
  if (guid == std::string_view::npos || close == std::string_view::npos) {
    return {};
  }
  return std::string(line.substr(open + 1, close - open - 1));
}

/// The rank of the process, where each line begins with it, else that of the group.
std::optional<std::int64_t> rank_of(std::string_view line) {
  constexpr std::string_view kProcess = "[rank";
  const auto process = line.find(kProcess);
  if (process != std::string_view::npos) {
    return number_after(line.substr(process, 12), kProcess);
  }
  const auto rank = number_after(line, " Rank ");
  return rank ? rank : number_after(line, "[Rank ");
}

/// The newest work that each rank of a group has enqueued.
using Progress = std::map<std::int64_t, std::int64_t>;

/// By name of the group, empty if the lines name none.
std::map<std::string, Progress> read_progress(std::string_view log) {
  constexpr std::string_view kEnqueued = "last enqueued NCCL work: ";
  constexpr std::string_view kEnqueuedLater = "last enqueued work: ";  // since PyTorch 2.6
  constexpr std::string_view kTimeout = "Watchdog caught collective operation timeout";
  static const LiteralScan scan({kEnqueued, kEnqueuedLater, kTimeout}, LiteralScan::Words::exact);
  std::map<std::string, Progress> groups;
  FoundLines lines(log, scan);
  for (FoundLines::Line found; lines.next(found);) {
    const std::string_view line = found.text;
    auto work = number_after(line, kEnqueued);
    work = work ? work : number_after(line, kEnqueuedLater);
    if (!work && line.find(kTimeout) != std::string::npos) {
      work = number_after(line, "SeqNum=");
    }
    const auto rank = work ? rank_of(line) : std::nullopt;
    if (rank) {
      auto [known, fresh] = groups[process_group_of(line)].try_emplace(*rank, *work);
      known->second = std::max(known->second, *work);
    }
  }
  return groups;
}

std::string joined(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kShown = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return ranks.size() > kShown ? fmt::format("{} and {} more", text, ranks.size() - kShown) : text;
}

/// Those that say nothing between the first and the last rank that does, where most do.
std::vector<std::int64_t> silent(const Progress& progress) {
  const std::int64_t first = progress.begin()->first;
  const std::int64_t last = progress.rbegin()->first;
  std::vector<std::int64_t> ranks;
  if (last - first + 1 >= 2 * static_cast<std::int64_t>(progress.size())) {
    return ranks;  // a group with a stride
  }
  for (std::int64_t rank = first; rank <= last; ++rank) {
    if (!progress.contains(rank)) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

void add_facts(const std::string& group, const Progress& progress, std::vector<std::string>& out) {
  const std::string name = group.empty() ? "" : group + ": ";
  const std::int64_t newest =
      std::ranges::max_element(progress, {}, [](const auto& each) { return each.second; })->second;
  std::map<std::int64_t, std::vector<std::int64_t>> behind;
  for (const auto& [rank, work] : progress) {
    if (work < newest) {
      behind[work].push_back(rank);
    }
  }
  for (const auto& [work, ranks] : behind) {
    out.push_back(fmt::format("{}{} {} behind, at work {}; others are at {}. Look there first",
                              name,
                              joined(ranks),
                              ranks.size() == 1 ? "is" : "are",
                              work,
                              newest));
  }
  if (const auto ranks = silent(progress); !ranks.empty()) {
    out.push_back(fmt::format(
        "{}{} {} no time-out where {} neighbours do: died, or never reached the collective",
        name,
        joined(ranks),
        ranks.size() == 1 ? "reports" : "report",
        ranks.size() == 1 ? "its" : "their"));
  }
}

/// What a timed-out collective was, "_ALLGATHER_BASE of 75264 elements", where all ranks of a group have
/// to say the same of it; else empty.
std::string timed_out_operation(std::string_view line) {
  constexpr std::string_view kType = "OpType=";
  constexpr std::array<std::string_view, 3> kAlike = {
      "ALLREDUCE,", "_ALLGATHER_BASE,", "_REDUCE_SCATTER_BASE,"};
  const auto at = line.find(kType);
  const auto size = number_after(line, "NumelIn=");
  if (at == std::string_view::npos || !size) {
    return {};
  }
  line.remove_prefix(at + kType.size());
  for (const std::string_view type : kAlike) {
    if (line.starts_with(type)) {
      return fmt::format("{} of {} elements", type.substr(0, type.size() - 1), *size);
    }
  }
  return {};
}

/// Ranks of one group that timed out in different collectives under one number.
void add_divergence(std::string_view log, std::vector<std::string>& out) {
  constexpr std::string_view kTimeout = "Watchdog caught collective operation timeout";
  // Two groups, if the lines do not name them, may have the same number by chance when they are new.
  constexpr std::int64_t kFewWorks = 1000;
  static const LiteralScan scan({kTimeout}, LiteralScan::Words::exact);
  using Ranks = std::vector<std::int64_t>;
  std::map<std::pair<std::string, std::int64_t>, std::map<std::string, Ranks>> works;
  FoundLines lines(log, scan);
  for (FoundLines::Line found; lines.next(found);) {
    const auto work = number_after(found.text, "SeqNum=");
    const auto rank = rank_of(found.text);
    std::string operation = timed_out_operation(found.text);
    std::string group = process_group_of(found.text);
    if (!work || !rank || operation.empty() || (group.empty() && *work < kFewWorks)) {
      continue;
    }
    Ranks& ranks = works[{std::move(group), *work}][std::move(operation)];
    if (std::ranges::find(ranks, *rank) == ranks.end()) {
      ranks.push_back(*rank);
    }
  }
  for (auto& [work, operations] : works) {
    if (operations.size() != 2) {
      continue;
    }
    auto& [one, its] = *operations.begin();
    auto& [other, others] = *operations.rbegin();
    std::ranges::sort(its);
    std::ranges::sort(others);
    out.push_back(fmt::format(
        "{}at work {} {} waited in {}, {} in {}: they took different paths through the program",
        work.first.empty() ? "" : work.first + ": ",
        work.second,
        joined(its),
        one,
        joined(others),
        other));
  }
}

}  // namespace

std::vector<std::string> watchdog_facts(std::string_view log) {
  std::vector<std::string> facts;
  for (const auto& [group, progress] : read_progress(log)) {
    if (progress.size() > 1) {
      add_facts(group, progress, facts);
    }
  }
  add_divergence(log, facts);
  return facts;
}

namespace {

/// Seconds of "2026-11-20 09:58:01" or "2026-11-20T09:58:01" at the start of a text.
std::optional<std::int64_t> time_at(std::string_view text) {
  constexpr std::size_t kLength = 19;
  constexpr std::string_view kSigns = "____-__-__ __:__:__";
  if (text.size() < kLength) {
    return std::nullopt;
  }
  std::array<int, 6> numbers = {};
  std::size_t number = 0;
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (digit != (kSigns[i] == '_')) {
      return std::nullopt;
    }
    numbers.at(number) = digit ? numbers.at(number) * 10 + (text[i] - '0') : numbers.at(number);
    number += digit ? 0 : 1;
  }
  const std::chrono::year_month_day day{std::chrono::year{numbers[0]},
                                        std::chrono::month{static_cast<unsigned>(numbers[1])},
                                        std::chrono::day{static_cast<unsigned>(numbers[2])}};
  if (!day.ok()) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days{day}.time_since_epoch().count();
  return ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5];
}

std::optional<std::int64_t> time_after(std::string_view line, std::string_view words) {
  const auto at = line.find(words);
  return at == std::string_view::npos ? std::nullopt : time_at(line.substr(at + words.size()));
}

}  // namespace

std::vector<std::string> time_limit_facts(std::string_view log) {
  constexpr std::string_view kStep = "elapsed time per iteration (ms): ";
  constexpr std::string_view kLimit = "DUE TO TIME LIMIT";
  static const LiteralScan scan({kStep, kLimit}, LiteralScan::Words::exact);
  std::optional<std::int64_t> last;
  double milliseconds = 0;
  FoundLines lines(log, scan);
  for (FoundLines::Line found; lines.next(found);) {
    if (const auto step = number_after(found.text, kStep)) {
      const auto time = time_after(found.text, "[");
      last = time ? time : last;
      milliseconds = static_cast<double>(*step);
    }
    const auto limit = found.text.find(kLimit) == std::string_view::npos
                           ? std::nullopt
                           : time_after(found.text, "CANCELLED AT ");
    if (!limit || !last) {
      continue;
    }
    constexpr double kShortest = 1800;
    constexpr double kIterations = 10;
    const auto silence = static_cast<double>(*limit - *last);
    if (silence >= std::max(kShortest, kIterations * milliseconds / 1000)) {
      return {fmt::format(
          "the last iteration was logged {:.1f} h before the limit: the job hung until then, and a "
          "longer limit would not help; find out what the ranks waited for (a log of NCCL's "
          "watchdog, `py-spy dump` of a rank)",
          silence / 3600)};
    }
    return {};
  }
  return {};
}

namespace {

/// One line of iterations.
struct LoggedTime {
  double seconds = 0;
  std::int64_t iteration = 0;
  int line = 0;
};

/// The lines of iterations of one log.
struct LoggedTimes {
  std::vector<LoggedTime> steps;
  std::int64_t skipped = 0;
  int last_skipped = 0;  // line
  std::string first_scale;
  std::string last_scale;
};

/// The text between some words and the next bar.
std::string text_after(std::string_view line, std::string_view words) {
  const auto at = line.find(words);
  if (at == std::string_view::npos) {
    return {};
  }
  line.remove_prefix(at + words.size());
  line = line.substr(0, line.find('|'));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return std::string(line.substr(0, line.find(' ')));
}

LoggedTimes read_times(std::string_view log) {
  constexpr std::string_view kStep = "elapsed time per iteration (ms): ";
  static const LiteralScan scan({kStep}, LiteralScan::Words::exact);
  LoggedTimes times;
  FoundLines lines(log, scan);
  for (FoundLines::Line found; lines.next(found);) {
    const auto milliseconds = number_after(found.text, kStep);
    std::string iteration = text_after(found.text, "iteration ");
    iteration = iteration.substr(0, iteration.find('/'));
    if (!milliseconds) {
      continue;
    }
    times.steps.push_back({static_cast<double>(*milliseconds) / 1000,
                           number_after(" " + iteration, " ").value_or(0),
                           found.number});
    const std::string skipped = text_after(found.text, "number of skipped iterations:");
    if (const auto count = number_after(" " + skipped, " "); count && *count > 0) {
      times.skipped += *count;
      times.last_skipped = found.number;
    }
    std::string scale = text_after(found.text, "loss scale:");
    times.first_scale = times.first_scale.empty() ? scale : times.first_scale;
    times.last_scale = scale.empty() ? times.last_scale : std::move(scale);
  }
  return times;
}

double median_of(std::vector<LoggedTime>::const_iterator begin,
                 std::vector<LoggedTime>::const_iterator end) {
  std::vector<double> seconds;
  for (auto each = begin; each != end; ++each) {
    seconds.push_back(each->seconds);
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

/// The distance of all these iterations, if it is the same; else 0.
std::int64_t period_of(const std::vector<LoggedTime>& slow) {
  constexpr std::size_t kFewest = 3;
  if (slow.size() < kFewest) {
    return 0;
  }
  const std::int64_t period = slow[1].iteration - slow[0].iteration;
  for (std::size_t i = 1; i < slow.size(); ++i) {
    if (slow[i].iteration - slow[i - 1].iteration != period) {
      return 0;
    }
  }
  return period;
}

/// What is said of steps that took far longer than the others.
void tell_slow(const std::vector<LoggedTime>& steps, StepStory& story) {
  constexpr double kSlow = 2;
  constexpr double kShare = 0.1;
  constexpr double kGrowth = 1.33;
  const double median = median_of(steps.begin(), steps.end());
  std::vector<LoggedTime> slow;
  LoggedTime longest;
  double all = 0;
  double lost = 0;
  for (const LoggedTime& step : steps) {
    all += step.seconds;
    if (step.seconds > kSlow * median) {
      slow.push_back(step);
      lost += step.seconds - median;
      longest = step.seconds > longest.seconds ? step : longest;
    }
  }
  if (lost >= kShare * all) {
    const std::int64_t period = period_of(slow);
    story.message = "steps that took far longer than the others";
    story.line = longest.line;
    story.facts.push_back(fmt::format(
        "{} of {} logged steps took more than twice the median of {:.1f} s{}; iteration {} took "
        "{:.1f} s. Together they cost {:.0f} % of the time",
        slow.size(),
        steps.size(),
        median,
        period > 0 ? fmt::format(", one every {} iterations", period) : "",
        longest.iteration,
        longest.seconds,
        100 * lost / all));
  }
  const auto quarter = static_cast<std::ptrdiff_t>(steps.size() / 4);
  const double first = median_of(steps.begin(), steps.begin() + quarter);
  const double last = median_of(steps.end() - quarter, steps.end());
  if (last >= kGrowth * first) {
    story.message = story.message.empty() ? "steps that became slower" : story.message;
    story.line = story.line == 0 ? steps.back().line : story.line;
    story.facts.push_back(fmt::format(
        "steps became slower: {:.1f} s in the first quarter of the log, {:.1f} s in the last",
        first,
        last));
  }
}

/// What is said of a few lines, each of which is slower than the one before.
void tell_growth(const std::vector<LoggedTime>& steps, StepStory& story) {
  constexpr std::size_t kFewest = 3;
  constexpr double kGrowth = 1.5;
  const auto slower = [](const LoggedTime& one, const LoggedTime& next) {
    return one.seconds > next.seconds;
  };
  if (steps.size() < kFewest || steps.back().seconds < kGrowth * steps.front().seconds ||
      std::adjacent_find(steps.begin(), steps.end(), slower) != steps.end()) {
    return;
  }
  story.message = "steps that became slower";
  story.line = steps.back().line;
  story.facts.push_back(
      fmt::format("steps became slower from line to line: {:.1f} s at first, {:.1f} s at last",
                  steps.front().seconds,
                  steps.back().seconds));
}

}  // namespace

StepStory step_story(std::string_view log) {
  constexpr std::size_t kFewest = 20;
  constexpr std::int64_t kSkipped = 20;
  LoggedTimes times = read_times(log);
  StepStory story;
  if (times.steps.size() < kFewest) {
    tell_growth(times.steps, story);
    return story;
  }
  if (times.skipped * kSkipped >= static_cast<std::int64_t>(times.steps.size())) {
    story.message = "iterations that the optimizer skipped";
    story.line = times.last_skipped;
    story.facts.push_back(fmt::format(
        "{} iterations were skipped in {} logged lines{}",
        times.skipped,
        times.steps.size(),
        times.first_scale == times.last_scale
            ? ""
            : fmt::format(
                  "; the loss scale went from {} to {}", times.first_scale, times.last_scale)));
    return story;
  }
  const auto warm_up = static_cast<std::ptrdiff_t>(times.steps.size() / 10);
  times.steps.erase(times.steps.begin(), times.steps.begin() + warm_up);
  tell_slow(times.steps, story);
  return story;
}

}  // namespace epwise::audit
