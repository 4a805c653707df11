#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "commands/explore/http.h"
#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/json.h"

namespace epwise::explore {

using report::Json;

/// How far a search is, and its result.
struct SearchState {
  enum class Kind : std::uint8_t { none, running, done, cancelled, failed };

  Kind kind = Kind::none;
  std::size_t done = 0;  // combinations
  std::size_t planned = 0;
  std::string problem;  // of a search that failed
  std::string advice;   // as `epwise advise --format json` prints it
  std::string page;     // as `epwise advise --format html` writes it
  std::string text;     // that was searched
  std::string hw;       // of the target that was searched
  int gpus = 0;
  /// The text with each plan: first those that are better, then those that are too close to call;
  /// empty where a plan cannot be applied to it.
  std::vector<std::string> plans;
};

/// One search at a time, in a thread of its own.
class SearchTask {
 public:
  SearchTask() = default;
  SearchTask(const SearchTask&) = delete;
  SearchTask& operator=(const SearchTask&) = delete;

  ~SearchTask() { cancel(); }

  /// What a search calls meanwhile.
  struct Reins {
    const std::atomic<bool>* stop = nullptr;
    std::function<void(std::size_t done, std::size_t planned)> progress;
  };

  /// Ends the search that runs, and starts another. `search` returns the result, or throws.
  void start(const std::function<SearchState(const Reins&)>& search);

  /// Waits until it has ended.
  void cancel();

  SearchState state() const;

 private:
  mutable std::mutex mutex_;
  SearchState state_;  // guarded by the mutex
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> done_{0};
  std::atomic<std::size_t> planned_{0};
  std::thread thread_;
};

/// The recipe that the page begins with.
struct Opened {
  std::string path;  // as shown; its folder decides which configuration applies
  std::string text;
};

struct Place;

/// A state of the page: the text, and the target if its controls changed it.
struct Wish {
  std::string text;
  std::string hw;  // empty: as options, header and configuration say
  int gpus = 0;    // 0: likewise
};

/// Answers the requests of the page: what `lint`, `simulate` and `advise` report as JSON about a
/// text that is being edited, and the text after a control was moved or a fix or a plan applied.
/// Writes no files. Not thread-safe, except that a search runs in the background.
///
///   POST /api/start       → {"path", "text", "hardware", "terms", "target"}
///   POST /api/look        {"text", "hw", "gpus"} → {"lint", "simulate", "target", "controls",
///                         "outdated"}: why the plans that were found do not apply, or null
///   POST /api/moves       → {"controls"}: the same, with the moves that are refused
///   POST /api/set         and {"axis", "move"} → {"text", "with"}
///   POST /api/offer       and {"finding"} → {"title"} of the fix that resolves it, or null
///   POST /api/fix         and {"finding", "fix"} → {"text"}
///   POST /api/search      and {"what": "plans" | "dispatchers"} → {"state": "running"}
///   POST /api/progress    {"what"} → {"state", "done", "planned"}, at the end "advice" as `advise`
///                         gives it
///   POST /api/cancel      {"what"} → the same
///   POST /api/plan        and {"plan"} → {"text"}, for the text and the target that were searched
///   POST /api/report      and {"kind": "simulate" | "advise"} → the HTML page of that command
///
/// What the text or the settings make impossible is {"problem": "…"}.
class Explorer {
 public:
  /// Console and arguments outlive this.
  Explorer(cli::Console& console,
           const session::Arguments& arguments,
           Opened opened,
           std::string token);
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;
  ~Explorer();

  /// Never throws. Only requests with the token, to this machine by a name of its own and from no
  /// other origin, get more than a refusal.
  Answer answer(const Request& request);

 private:
  std::string post(const std::string& path, const Json& body);
  std::string start();
  std::string look(const Wish& wish);
  std::string set(const Wish& wish, const Json& body);
  std::string moves(const Wish& wish);
  std::string offer(const Wish& wish, const Json& body);
  std::string fix(const Wish& wish, const Json& body);
  std::string search(const Wish& wish, const Json& body);
  std::string progress(const Json& body);
  SearchTask& task_of(const Json& body);
  std::string plan(const Wish& wish, const Json& body);

  /// Why the last search does not apply to this state of the page; empty if it does.
  std::string outdated(const SearchState& state, const Wish& wish);
  Answer report(const Wish& wish, const Json& body);
  Place& place_of(const Wish& wish);

  cli::Console& console_;
  const session::Arguments& arguments_;
  Opened opened_;
  std::string token_;
  std::map<std::pair<std::string, int>, std::unique_ptr<Place>> places_;  // by target
  SearchTask plans_;
  SearchTask dispatchers_;
};

/// The page, with its style and script inside. It loads nothing else and talks to its server only.
Answer page();

/// 128 random bits in hexadecimal: the token of a run.
std::string make_token();

/// Why a request gets no answer: not to this machine, from another origin, without the token. Empty
/// if it does.
std::string refused_because(const Request& request, const std::string& token);

/// The arguments with a target of the page, which takes precedence.
session::Arguments with_target(session::Arguments arguments, const Wish& wish);

}  // namespace epwise::explore
