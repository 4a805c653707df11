#include "commands/explain/flight_record.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace epwise::audit {

namespace {

using report::Json;
using Rank = std::int64_t;

/// A collective or a transfer of a rank.
struct Work {
  std::string group;  // "EXPERT_MODEL_PARALLEL_GROUP"
  std::int64_t number = 0;
  std::string operation;  // "all_to_all"
  std::string sizes;      // "[[8, 2]]"
  std::string place;      // "dispatch (token_dispatcher.py:610)"
  std::int64_t created = 0;
  bool open = false;
};

/// A process group, as far as its ranks have recorded it.
struct Group {
  std::set<Rank> ranks;                 // of its configuration
  std::map<Rank, std::int64_t> newest;  // number of the last collective that was issued
  std::map<Rank, std::map<std::int64_t, Work>> works;
};

const Json* at(const Json& node, std::string_view key) {
  if (!node.is_object()) {
    return nullptr;
  }
  const auto found = node.find(key);
  return found == node.end() ? nullptr : &*found;
}

/// Whether a value can be written out: not deeper than what PyTorch nests.
bool is_shallow(const Json& node, int levels = 6) {
  if (levels == 0 || node.is_primitive()) {
    return levels > 0;
  }
  for (const Json& child : node) {
    if (!is_shallow(child, levels - 1)) {
      return false;
    }
  }
  return true;
}

std::string text_of(const Json& node) {
  if (node.is_string()) {
    return node.get<std::string>();
  }
  return is_shallow(node) ? node.dump(-1, ' ', false, Json::error_handler_t::replace) : "";
}

std::string text_at(const Json& node, std::string_view key) {
  const Json* found = at(node, key);
  return found == nullptr ? "" : text_of(*found);
}

std::int64_t number_at(const Json& node, std::string_view key, std::int64_t otherwise) {
  const Json* found = at(node, key);
  return found != nullptr && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

/// "[0, 1, 2]" or a list → its numbers.
std::set<Rank> ranks_in(const Json* list) {
  std::set<Rank> ranks;
  const std::string text = list == nullptr ? std::string() : text_of(*list);
  const char* end = text.data() + text.size();
  for (const char* each = text.data(); each < end;) {
    Rank rank = 0;
    const auto read = std::from_chars(each, end, rank);
    if (read.ec == std::errc()) {
      ranks.insert(rank);
      each = read.ptr;
    } else {
      ++each;
    }
  }
  return ranks;
}

/// The rank in a dump, else the number at the end of its file's name.
std::optional<Rank> rank_of_dump(const FlightDump& dump) {
  const std::int64_t told = number_at(dump.contents, "rank", -1);
  if (told >= 0) {
    return told;
  }
  std::string_view name = dump.name;
  const auto last = name.find_last_of("0123456789");
  if (last == std::string_view::npos) {
    return std::nullopt;
  }
  const auto before = name.find_last_not_of("0123456789", last);
  name = name.substr(before + 1, last - before);
  Rank rank = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), rank);
  return read.ec == std::errc() ? std::optional(rank) : std::nullopt;
}

/// The innermost frame that is not PyTorch's.
std::string frame_of_entry(const Json& entry) {
  const Json* frames = at(entry, "frames");
  if (frames == nullptr || !frames->is_array()) {
    return {};
  }
  for (const Json& frame : *frames) {
    const std::string file = text_at(frame, "filename");
    if (file.find("/torch/") == std::string::npos && !file.empty()) {
      return fmt::format("{} ({}:{})",
                         text_at(frame, "name"),
                         file.substr(file.rfind('/') + 1),
                         number_at(frame, "line", 0));
    }
  }
  return {};
}

/// [name, description] of the group of a work: the description, if it has one.
std::string group_of_entry(const Json& entry) {
  const Json* names = at(entry, "process_group");
  if (names == nullptr || !names->is_array() || names->empty()) {
    return "default_pg";
  }
  const std::string text = text_of(names->back());
  return text.empty() || text == "undefined" ? text_of(names->front()) : text;
}

/// "nccl:_all_gather_base" → "_all_gather_base"
std::string operation_of(const Json& entry) {
  const std::string name = text_at(entry, "profiling_name");
  return name.substr(name.rfind(':') + 1);
}

/// As the watchdog spells it: "all_to_all" → "ALLTOALL", "_all_gather_base" → "_ALLGATHER_BASE".
std::string watchdog_word(std::string_view operation) {
  std::string word;
  for (std::size_t i = 0; i < operation.size(); ++i) {
    const bool edge = i == 0 || operation.substr(i) == "_base";
    if (operation[i] != '_' || edge) {
      word += static_cast<char>(std::toupper(static_cast<unsigned char>(operation[i])));
    }
  }
  return word;
}

/// Groups of one description that have different ranks are kept apart.
using Key = std::pair<std::string, std::set<Rank>>;

class Recorder {
 public:
  void take(Rank rank, const Json& dump) {
    ranks_.insert(rank);
    const std::map<std::string, std::set<Rank>> members = members_of(dump);
    const Json* entries = at(dump, "entries");
    if (entries == nullptr || !entries->is_array()) {
      return;
    }
    for (const Json& entry : *entries) {
      take_work(rank, entry, members);
    }
  }

  FlightStory tell() const;

 private:
  struct Finding {
    Key key;
    std::int64_t number = 0;
    std::vector<Rank> waiting, missing, unheard;
    Rank culprit = -1;  // misses it and waits in nothing
    bool differs = false;
    std::int64_t since = 0;

    /// The smaller, the likelier it is the cause of the others.
    int distance_from_cause() const {
      return culprit >= 0       ? 0
             : differs          ? 1
             : !unheard.empty() ? 2
             : missing.empty()  ? 3
                                : 4;  // who is missing waits elsewhere
    }
  };

  /// The ranks of each group by its name and by its description.
  static std::map<std::string, std::set<Rank>> members_of(const Json& dump) {
    std::map<std::string, std::set<Rank>> members;
    const Json* groups = at(dump, "pg_config");
    if (groups == nullptr || !groups->is_object()) {
      return members;
    }
    for (const auto& [name, group] : groups->items()) {
      members[text_at(group, "desc")] = ranks_in(at(group, "ranks"));
      members[name] = ranks_in(at(group, "ranks"));
    }
    return members;
  }

  void take_work(Rank rank,
                 const Json& entry,
                 const std::map<std::string, std::set<Rank>>& members) {
    Work work;
    work.group = group_of_entry(entry);
    const Json* peer = at(entry, "is_p2p");
    if (peer != nullptr && peer->is_boolean() && peer->get<bool>()) {
      note_open(rank, entry, work);
      return;  // its number counts the transfers of two ranks
    }
    note_open(rank, entry, work);
    work.number = number_at(entry, "collective_seq_id", number_at(entry, "seq_id", 0));
    const Json* names = at(entry, "process_group");
    const std::string name =
        names != nullptr && names->is_array() && !names->empty() && names->front().is_string()
            ? names->front().get<std::string>()
            : std::string();
    const auto by_name = members.find(name);
    const auto found = by_name == members.end() ? members.find(work.group) : by_name;
    const std::set<Rank> ranks = found == members.end() ? std::set<Rank>() : found->second;
    Group& group = groups_[{work.group, ranks}];
    group.ranks = ranks;
    auto [newest, fresh] = group.newest.try_emplace(rank, work.number);
    newest->second = std::max(newest->second, work.number);
    group.works[rank].insert_or_assign(work.number, std::move(work));
  }

  /// Fills in what the entry says, and remembers the oldest open work of the rank.
  void note_open(Rank rank, const Json& entry, Work& work) {
    work.operation = operation_of(entry);
    work.sizes = text_at(entry, "input_sizes");
    work.place = frame_of_entry(entry);
    work.created = number_at(entry, "time_created_ns", 0);
    const Json* retired = at(entry, "retired");
    const bool done = retired != nullptr && retired->is_boolean() && retired->get<bool>();
    work.open = !done && text_at(entry, "state") != "completed";
    if (work.open) {
      auto [known, fresh] = waits_.try_emplace(rank, work);
      if (work.created < known->second.created) {
        known->second = work;
      }
    }
    auto [last, first] = last_.try_emplace(rank, work);
    if (work.created >= last->second.created) {
      last->second = work;
    }
  }

  std::optional<Finding> look_at(const Key& key, const Group& group) const;
  std::string describe(const Finding& finding) const;

  const Work& work_of(const Finding& finding, Rank rank) const {
    return groups_.at(finding.key).works.at(rank).at(finding.number);
  }

  std::map<Key, Group> groups_;
  std::map<Rank, Work> waits_;  // the oldest open work of each rank
  std::map<Rank, Work> last_;   // the newest work of each rank
  std::set<Rank> ranks_;        // with a dump
};

/// The oldest collective of a group that is open somewhere.
std::optional<Recorder::Finding> Recorder::look_at(const Key& key, const Group& group) const {
  Finding finding{key, std::numeric_limits<std::int64_t>::max(), {}, {}, {}, -1, false, 0};
  for (const auto& [rank, works] : group.works) {
    for (const auto& [number, work] : works) {
      if (work.open && number < finding.number) {
        finding.number = number;
        finding.since = work.created;
      }
    }
  }
  if (finding.number == std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  std::set<std::string> ways;
  for (const auto& [rank, works] : group.works) {
    const auto work = works.find(finding.number);
    if (work != works.end()) {
      ways.insert(work->second.operation);
      if (work->second.open) {
        finding.waiting.push_back(rank);
      }
    } else if (group.newest.at(rank) < finding.number) {
      finding.missing.push_back(rank);
    }
  }
  for (const Rank rank : group.ranks) {
    if (!ranks_.contains(rank)) {
      finding.unheard.push_back(rank);
    } else if (!group.works.contains(rank)) {
      finding.missing.push_back(rank);
    }
  }
  finding.differs = ways.size() > 1;
  for (const Rank rank : finding.missing) {
    finding.culprit = finding.culprit < 0 && !waits_.contains(rank) ? rank : finding.culprit;
  }
  return finding;
}

std::string named_ranks(const std::vector<Rank>& ranks) {
  constexpr std::size_t kShown = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return ranks.size() > kShown ? fmt::format("{} and {} more", text, ranks.size() - kShown) : text;
}

std::string_view verb(const std::vector<Rank>& ranks, std::string_view one, std::string_view many) {
  return ranks.size() == 1 ? one : many;
}

std::string Recorder::describe(const Finding& finding) const {
  const Work& work = work_of(finding, finding.waiting.front());
  std::string text = fmt::format("{}: {} {} in {} number {}",
                                 finding.key.first,
                                 named_ranks(finding.waiting),
                                 verb(finding.waiting, "waits", "wait"),
                                 work.operation,
                                 finding.number);
  text += work.place.empty() ? "" : " of " + work.place;
  if (!finding.missing.empty()) {
    text += fmt::format("; {} {} not issued it",
                        named_ranks(finding.missing),
                        verb(finding.missing, "has", "have"));
  }
  if (!finding.unheard.empty()) {
    text += fmt::format("; no dump of {}", named_ranks(finding.unheard));
  }
  if (finding.differs) {
    text += "; the ranks entered it with different operations";
  }
  if (finding.missing.empty() && finding.unheard.empty() && !finding.differs) {
    text +=
        "; every rank has issued it, so the exchange itself stands still: sizes that differ, or "
        "the network";
  }
  return text;
}

FlightStory Recorder::tell() const {
  std::vector<Finding> findings;
  for (const auto& [key, group] : groups_) {
    if (auto finding = look_at(key, group); finding && !finding->waiting.empty()) {
      findings.push_back(std::move(*finding));
    }
  }
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::pair(finding.distance_from_cause(), finding.since);
  });
  FlightStory story;
  if (findings.empty()) {
    return story;
  }
  constexpr std::size_t kShown = 5;
  const Finding& first = findings.front();
  const Work& work = work_of(first, first.waiting.front());
  story.crash.kind = Crash::Kind::mentioned;
  story.crash.message = fmt::format(
      "collective operation timeout: ({}) OpType={}, number {}, in the flight recorder of {} ranks",
      first.key.first,
      watchdog_word(work.operation),
      first.number,
      ranks_.size());
  for (std::size_t i = 0; i < std::min(findings.size(), kShown); ++i) {
    story.facts.push_back(describe(findings[i]));
  }
  if (first.culprit >= 0) {
    const auto last = last_.find(first.culprit);
    story.facts.insert(
        story.facts.begin() + 1,
        last == last_.end()
            ? fmt::format("rank {} has recorded nothing", first.culprit)
            : fmt::format(
                  "rank {} waits in no collective; its last was {} in {}{}. Look at its stack "
                  "and its log first",
                  first.culprit,
                  last->second.operation,
                  last->second.group,
                  last->second.place.empty() ? "" : ", " + last->second.place));
  }
  return story;
}

}  // namespace

FlightStory read_flight(const std::vector<FlightDump>& dumps) {
  Recorder recorder;
  for (const FlightDump& dump : dumps) {
    if (const auto rank = rank_of_dump(dump)) {
      recorder.take(*rank, dump.contents);
    }
  }
  return recorder.tell();
}

}  // namespace epwise::audit
