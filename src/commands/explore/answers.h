#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "commands/explore/http.h"
#include "commands/explore/search_task.h"
#include "session/options/arguments.h"
#include "ui/console.h"
#include "ui/json.h"

namespace epwise::explore {

using report::Json;

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
///   POST /api/look        {"text", "hw", "gpus"} → {"lint", "simulate", "target", "controls"}
///   POST /api/set         and {"axis", "move"} → {"text"}
///   POST /api/fix         and {"finding", "fix"} → {"text"}
///   POST /api/search      and {"what": "plans" | "dispatchers"} → {"state": "running"}
///   POST /api/progress    {"what"} → {"state", "done", "planned"}, at the end "advice" as `advise`
///                         gives it
///   POST /api/cancel      {"what"} → the same
///   POST /api/plan        {"text", "plan"} → {"text"}
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
  std::string fix(const Wish& wish, const Json& body);
  std::string search(const Wish& wish, const Json& body);
  std::string progress(const Json& body);
  SearchTask& task_of(const Json& body);
  std::string plan(const Wish& wish, const Json& body);
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

/// Why a request gets no answer: not to this machine, from another origin, without the token. Empty
/// if it does.
std::string refused_because(const Request& request, const std::string& token);

/// The arguments with a target of the page, which takes precedence.
session::Arguments with_target(session::Arguments arguments, const Wish& wish);

}  // namespace epwise::explore
