#include "commands/explore/answers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "advise/advisor.h"
#include "base/embedded/embedded.h"
#include "base/units/quantity.h"
#include "commands/advise/advising.h"
#include "commands/advise/report.h"
#include "commands/explore/controls.h"
#include "commands/lint/linting.h"
#include "commands/simulate/report.h"
#include "commands/simulate/simulation.h"
#include "fix/change.h"
#include "fix/proof.h"
#include "fix/verdict.h"
#include "perf/sim/step/waterfall.h"
#include "session/workspace.h"
#include "ui/findings/writer.h"
#include "ui/version.h"

namespace epwise::explore {

/// What requests on one target share.
struct Place {
  Place(cli::Console& console, session::Arguments given)
      : arguments(std::move(given)),
        workspace(console.host(), session::given_by(arguments)),
        simulator(console, arguments, workspace) {}

  session::Arguments arguments;
  session::Workspace workspace;
  cli::Simulator simulator;
};

namespace {

/// A request that the page would not send. Becomes status 400.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string text_in(const Json& body, const char* key) {
  if (!body.contains(key) || !body[key].is_string()) {
    throw Malformed(fmt::format("`{}` is not a text", key));
  }
  return body[key].get<std::string>();
}

std::size_t number_in(const Json& body, const char* key) {
  if (!body.contains(key) || !body[key].is_number_unsigned()) {
    throw Malformed(fmt::format("`{}` is not a number", key));
  }
  return body[key].get<std::size_t>();
}

Wish wish_in(const Json& body) {
  constexpr std::size_t kMostGpus = 1'000'000;
  Wish wish{text_in(body, "text"), body.contains("hw") ? text_in(body, "hw") : "", 0};
  if (body.contains("gpus")) {
    const std::size_t gpus = number_in(body, "gpus");
    if (gpus > kMostGpus) {
      throw Malformed("`gpus` is above 1,000,000");
    }
    wish.gpus = static_cast<int>(gpus);
  }
  return wish;
}

/// "127.0.0.1:8000" → "127.0.0.1"
std::string_view name_of_host(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos &&
                        host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  return has_port ? host.substr(0, colon) : host;
}

/// Takes the same time wherever the texts differ.
bool is_same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned>(a[i] != b[i]);
  }
  return difference == 0;
}

std::string said(std::string_view problem) {
  return report::json_line({{"problem", std::string(problem)}});
}

/// Why the result of a search does not apply to a text and a target; empty if it does.
std::string outdated_because(const SearchState& state,
                             const std::string& text,
                             const facts::Target& target) {
  if (state.text != text) {
    return "the text was changed since the search: search again";
  }
  const bool same = (target.hw == nullptr ? "" : target.hw->name) == state.hw &&
                    target.gpus.value_or(0) == state.gpus;
  return same ? "" : "the target was changed since the search: search again";
}

Json target_json(const session::Analysis& analysis) {
  const facts::Target& target = *analysis.target;
  return {{"hw", target.hw == nullptr ? Json(nullptr) : Json(target.hw->name)},
          {"gpus", target.gpus ? Json(*target.gpus) : Json(nullptr)},
          {"text", session::describe(target, analysis.recipe->framework)}};
}

/// What one GPU of each stage needs, everything included.
Json needed_json(const cli::SimulatedJob& job) {
  Json needed = Json::array();
  if (job.report.prediction) {
    for (const workload::StageMemory& stage : job.report.prediction->memory.stages) {
      needed.push_back(workload::needed(stage) / units::kGiB);
    }
  }
  return needed;
}

/// The file's recipes as `lint --format json` prints them.
std::string lint_json(const session::Analysis& analysis) {
  report::LintReport report;
  report.tool_version = cli::tool_version();
  report.knowledge = &analysis.knowledge();
  report.selection = analysis.selection();
  report.files.push_back(cli::linted_file(analysis));
  return report::find_writer("json")->write(report, {});
}

session::Analysis analysis_of(Place& place, const std::string& path, const std::string& text) {
  std::vector<session::Analysis> all =
      session::analyze(cli::parsed(place.workspace.open({.path = path, .text = text})));
  if (all.size() == 1) {
    return std::move(all.front());
  }
  return session::only_one(std::move(all), path);
}

/// Finding `number` of those that the page shows, with fixes that are verified.
const lint::Finding& prove(session::Analysis& analysis, std::size_t number) {
  const std::vector<const lint::Finding*> shown = report::shown(analysis.result);
  if (number >= shown.size()) {
    throw Malformed("there is no such finding");
  }
  const auto at = static_cast<std::size_t>(shown[number] - analysis.result.findings.data());
  fix::prove_fixes_of(analysis, at);
  return analysis.result.findings[at];
}

}  // namespace

void SearchTask::start(const std::function<SearchState(const Reins&)>& search) {
  cancel();
  stop_ = false;
  done_ = 0;
  planned_ = 0;
  {
    const std::lock_guard lock(mutex_);
    state_ = {};
    state_.kind = SearchState::Kind::running;
  }
  thread_ = std::thread([this, search] {
    SearchState result;
    try {
      result = search({&stop_, [this](std::size_t done, std::size_t planned) {
                         done_ = done;
                         planned_ = planned;
                       }});
      result.kind = stop_ ? SearchState::Kind::cancelled : SearchState::Kind::done;
    } catch (const std::exception& error) {
      result = {};
      result.kind = SearchState::Kind::failed;
      result.problem = error.what();
    }
    const std::lock_guard lock(mutex_);
    state_ = std::move(result);
  });
}

void SearchTask::cancel() {
  stop_ = true;
  if (thread_.joinable()) {
    thread_.join();
  }
}

SearchState SearchTask::state() const {
  const std::lock_guard lock(mutex_);
  SearchState state = state_;
  if (state.kind == SearchState::Kind::running) {
    state.done = done_;
    state.planned = planned_;
  }
  return state;
}

namespace {

std::string_view part(std::string_view name) {
  for (const embedded::EmbeddedFile& file : embedded::explore_page()) {
    if (file.path == name) {
      return file.bytes;
    }
  }
  return {};
}

void put(std::string& text, std::string_view mark, std::string_view content) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) {
    text.replace(at, mark.size(), content);
  }
}

}  // namespace

Answer page() {
  const std::string nonce = make_token();
  Answer answer;
  answer.type = "text/html";
  answer.body = part("explore.html");
  put(answer.body, "NONCE", nonce);
  put(answer.body, "NONCE", nonce);
  put(answer.body, "/* explore.css */", part("explore.css"));
  put(answer.body, "/* explore.js */", part("explore.js"));
  answer.policy = fmt::format(
      "default-src 'none'; style-src 'nonce-{0}'; script-src 'nonce-{0}'; connect-src 'self'; "
      "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce);
  return answer;
}

std::string make_token() {
  // std::random_device would need the arc4random of glibc 2.36.
  std::array<unsigned char, 16> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    throw std::runtime_error("the system has no random numbers for the page's token");
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

std::string refused_because(const Request& request, const std::string& token) {
  const std::string_view host = name_of_host(request.host);
  if (host != "127.0.0.1" && host != "localhost" && host != "[::1]") {
    return "this page is served to 127.0.0.1 and localhost only";
  }
  if (!request.origin.empty() && request.origin != "http://" + request.host) {
    return "requests of other pages are refused";
  }
  if (!is_same(request.token, token)) {
    return "the token is missing or wrong: open the address that `epwise explore` printed";
  }
  return {};
}

session::Arguments with_target(session::Arguments arguments, const Wish& wish) {
  if (!wish.hw.empty()) {
    arguments.add("--hw", {wish.hw, "the page"});
  }
  if (wish.gpus > 0) {
    arguments.add("--gpus", {std::to_string(wish.gpus), "the page"});
  }
  return arguments;
}

Explorer::Explorer(cli::Console& console,
                   const session::Arguments& arguments,
                   Opened opened,
                   std::string token)
    : console_(console),
      arguments_(arguments),
      opened_(std::move(opened)),
      token_(std::move(token)) {}

Explorer::~Explorer() = default;

Place& Explorer::place_of(const Wish& wish) {
  constexpr std::size_t kMost = 16;
  const std::pair key(wish.hw, wish.gpus);
  const auto found = places_.find(key);
  if (found != places_.end()) {
    return *found->second;
  }
  if (places_.size() == kMost) {
    places_.clear();
  }
  auto place = std::make_unique<Place>(console_, with_target(arguments_, wish));
  return *(places_[key] = std::move(place));
}

Answer Explorer::answer(const Request& request) {
  if (const std::string why = refused_because(request, token_); !why.empty()) {
    return refusal(403, why);
  }
  if (request.path == "/") {
    return request.method == "GET" ? page() : refusal(405, "only GET");
  }
  if (!request.path.starts_with("/api/")) {
    return refusal(404, "there is no such page");
  }
  if (request.method != "POST") {
    return refusal(405, "only POST");
  }
  if (!request.type.starts_with("application/json")) {
    return refusal(415, "only application/json");
  }
  const Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object()) {
    return refusal(400, "the body is not a JSON object");
  }
  Answer answer;
  try {
    if (request.path == "/api/report") {
      return report(wish_in(body), body);
    }
    answer.body = post(request.path, body);
  } catch (const Malformed& error) {
    return refusal(400, error.what());
  } catch (const os::UsageError& error) {
    answer.body = said(error.what());
  } catch (const os::MissingError& error) {
    answer.body = said(error.what());
  } catch (const std::exception& error) {
    return refusal(500, fmt::format("internal error: {}", error.what()));
  }
  return answer.body.empty() ? refusal(404, "there is no such request") : answer;
}

std::string Explorer::post(const std::string& path, const Json& body) {
  if (path == "/api/start") {
    return start();
  }
  if (path == "/api/cancel") {
    task_of(body).cancel();
  }
  if (path == "/api/cancel" || path == "/api/progress") {
    return progress(body);
  }
  const Wish wish = wish_in(body);
  if (path == "/api/look") {
    return look(wish);
  }
  if (path == "/api/set") {
    return set(wish, body);
  }
  if (path == "/api/moves") {
    return moves(wish);
  }
  if (path == "/api/offer") {
    return offer(wish, body);
  }
  if (path == "/api/fix") {
    return fix(wish, body);
  }
  if (path == "/api/search") {
    return search(wish, body);
  }
  return path == "/api/plan" ? plan(wish, body) : "";
}

std::string Explorer::start() {
  Json hardware = Json::array();
  for (const hw::Profile& profile : hw::profiles()) {
    if (!profile.partial) {
      hardware.push_back({{"name", profile.name}, {"title", profile.title}});
    }
  }
  Json terms = Json::object();
  for (const std::string_view name : sim::kWaterfallNames) {
    terms[std::string(name)] = report::term_title(name);
  }
  return report::json_line({{"path", opened_.path},
                            {"text", opened_.text},
                            {"version", cli::tool_version()},
                            {"hardware", hardware},
                            {"terms", terms}});
}

std::string Explorer::look(const Wish& wish) {
  Place& place = place_of(wish);
  session::Analysis analysis = analysis_of(place, opened_.path, wish.text);
  std::string answer = "{\"lint\":" + lint_json(analysis);
  if (analysis.recipe->readable) {
    const cli::SimulatedJob job = place.simulator.run(analysis, true);
    answer += fmt::format(",\"simulate\":{},\"needed_gib\":{},\"controls\":{}",
                          report::simulate_json({job.report}),
                          report::json_line(needed_json(job)),
                          report::json_line(controls_of(analysis)));
  }
  const SearchState found = plans_.state();
  const std::string outdated = found.kind == SearchState::Kind::done
                                   ? outdated_because(found, wish.text, *analysis.target)
                                   : "";
  answer += ",\"outdated\":" + report::json_line(outdated.empty() ? Json(nullptr) : Json(outdated));
  return answer + ",\"target\":" + report::json_line(target_json(analysis)) + "}";
}

std::string Explorer::set(const Wish& wish, const Json& body) {
  Place& place = place_of(wish);
  const session::Analysis analysis = analysis_of(place, opened_.path, wish.text);
  if (!analysis.recipe->readable) {
    return said("the text is not a recipe");
  }
  const Moved made =
      moved(analysis, place.simulator.laws(), text_in(body, "axis"), text_in(body, "move"));
  return made.problem.empty() ? report::json_line({{"text", made.text}, {"with", made.with}})
                              : said(made.problem);
}

std::string Explorer::moves(const Wish& wish) {
  Place& place = place_of(wish);
  const session::Analysis analysis = analysis_of(place, opened_.path, wish.text);
  if (!analysis.recipe->readable) {
    return said("the text is not a recipe");
  }
  return report::json_line({{"controls", judged_controls_of(analysis, place.simulator.laws())}});
}

namespace {

/// The first fix of a finding that resolves it, and the text with it.
struct Mended {
  std::string title;  // empty: there is none
  std::string text;
};

Mended mended(session::Analysis& analysis, std::size_t number) {
  for (const lint::Fix& each : prove(analysis, number).fixes) {
    if (each.edits.empty()) {
      continue;
    }
    std::string problem;
    const session::Draft draft = fix::changed(
        analysis, fix::change_of(each, *analysis.recipe, analysis.vocabulary()), problem);
    if (problem.empty()) {
      return {each.title, draft.bytes};
    }
  }
  return {};
}

}  // namespace

std::string Explorer::offer(const Wish& wish, const Json& body) {
  session::Analysis analysis = analysis_of(place_of(wish), opened_.path, wish.text);
  const Mended found = mended(analysis, number_in(body, "finding"));
  return report::json_line({{"title", found.title.empty() ? Json(nullptr) : Json(found.title)}});
}

std::string Explorer::fix(const Wish& wish, const Json& body) {
  session::Analysis analysis = analysis_of(place_of(wish), opened_.path, wish.text);
  const Mended found = mended(analysis, number_in(body, "finding"));
  return found.title.empty() ? said("no fix of this finding resolves it without another one")
                             : report::json_line({{"text", found.text}, {"title", found.title}});
}

std::string Explorer::search(const Wish& wish, const Json& body) {
  const bool for_plans = &task_of(body) == &plans_;
  task_of(body).start([this, wish, for_plans](const SearchTask::Reins& reins) {
    const session::Arguments arguments = with_target(arguments_, wish);
    const cli::AdvisedJob job(console_, arguments, {.path = opened_.path, .text = wish.text});
    SearchState state;
    report::AdvisedRecipe recipe = cli::advised_recipe(job);
    if (!for_plans) {
      recipe.advice = advise::which_dispatcher(job.world(), advise::knowledge());
    } else {
      advise::Request request = cli::advise_request(console_, arguments, *job.base().target->hw);
      request.calibration = job.calibration();
      request.stop = reins.stop;
      request.progress = reins.progress;
      recipe.advice = advise::advise(job.world(), advise::knowledge(), request);
    }
    state.advice = report::advise_json(recipe);
    state.page = report::advise_html(recipe);
    state.text = wish.text;
    state.hw = job.base().target->hw->name;
    state.gpus = job.base().target->gpus.value_or(0);
    for (const auto* plans : {&recipe.advice.plans, &recipe.advice.close}) {
      for (const advise::Plan& each : *plans) {
        state.plans.push_back(each.obstacle.empty() ? each.draft.bytes : "");
      }
    }
    return state;
  });
  return progress(body);
}

SearchTask& Explorer::task_of(const Json& body) {
  const std::string what = text_in(body, "what");
  if (what != "plans" && what != "dispatchers") {
    throw Malformed("`what` is neither plans nor dispatchers");
  }
  return what == "plans" ? plans_ : dispatchers_;
}

std::string Explorer::progress(const Json& body) {
  using Kind = SearchState::Kind;
  const SearchState state = task_of(body).state();
  Json json = {{"state",
                state.kind == Kind::none        ? "none"
                : state.kind == Kind::running   ? "running"
                : state.kind == Kind::done      ? "done"
                : state.kind == Kind::cancelled ? "cancelled"
                                                : "failed"},
               {"done", state.done},
               {"planned", state.planned}};
  if (state.kind == Kind::failed) {
    json["problem"] = state.problem;
  }
  std::string text = report::json_line(json);
  if (state.kind == Kind::done) {
    text.pop_back();
    text += ",\"advice\":" + state.advice + "}";
  }
  return text;
}

std::string Explorer::outdated(const SearchState& state, const Wish& wish) {
  const session::Analysis analysis = analysis_of(place_of(wish), opened_.path, state.text);
  return outdated_because(state, wish.text, *analysis.target);
}

std::string Explorer::plan(const Wish& wish, const Json& body) {
  const SearchState state = plans_.state();
  const std::size_t number = number_in(body, "plan");
  if (state.kind != SearchState::Kind::done || number >= state.plans.size()) {
    return said("there is no such plan");
  }
  if (const std::string why = outdated(state, wish); !why.empty()) {
    return said(why);
  }
  if (state.plans[number].empty()) {
    return said("this plan cannot be written into the text");
  }
  return report::json_line({{"text", state.plans[number]}});
}

Answer Explorer::report(const Wish& wish, const Json& body) {
  Answer answer;
  answer.type = "text/html";
  const std::string kind = text_in(body, "kind");
  if (kind == "advise") {
    SearchState state = plans_.state();
    if (state.page.empty()) {
      return refusal(404, "search for plans first");
    }
    if (const std::string why = outdated(state, wish); !why.empty()) {
      return refusal(409, why);
    }
    answer.body = std::move(state.page);
    return answer;
  }
  Place& place = place_of(wish);
  const session::Analysis analysis = analysis_of(place, opened_.path, wish.text);
  if (!analysis.recipe->readable) {
    return refusal(404, "the text is not a recipe");
  }
  answer.body = cli::page_text({place.simulator.run(analysis, true)});
  return answer;
}

}  // namespace epwise::explore
