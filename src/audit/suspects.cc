#include "audit/suspects.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "audit/drift.h"
#include "audit/fingerprint.h"
#include "audit/standing.h"
#include "audit/wording.h"

namespace epwise::audit {

namespace {

constexpr int kLinePoints = 30;
constexpr int kFunctionPoints = 5;  // the function alone is not worth naming
constexpr int kWorthNaming = 20;
constexpr int kMessagePoints = 60;
constexpr int kStrongWords = 40;           // letters of a fragment that no accident brings together
constexpr int kSupportPercent = 20;        // of what a recipe that breaks the rule adds
constexpr std::size_t kSmallestShare = 2;  // half of a message's marks must be there
constexpr std::size_t kFewestMarks = 2;

/// "src/megatron/bridge/x.py" in the repository is ".../megatron/bridge/x.py" where it runs.
bool same_file(std::string_view logged, std::string_view path) {
  if (path.starts_with("src/")) {
    path.remove_prefix(4);
  }
  return logged.ends_with(path) &&
         (logged.size() == path.size() || logged[logged.size() - path.size() - 1] == '/');
}

/// Errors that Python raises by itself: their words are about values, not about the check.
bool is_of_python(std::string_view exception) {
  constexpr std::array<std::string_view, 7> kOwn = {"TypeError",
                                                    "KeyError",
                                                    "IndexError",
                                                    "AttributeError",
                                                    "ZeroDivisionError",
                                                    "NameError",
                                                    "UnboundLocalError"};
  return std::ranges::find(kOwn, exception) != kOwn.end();
}

/// "mlm 0.19.0" of the recipe's target; "" when it is only assumed.
std::string version_of(const lint::Result* recipe) {
  if (recipe == nullptr || recipe->version_assumed || recipe->recipe == nullptr) {
    return {};
  }
  const bool bridge = recipe->recipe->framework == recipe::Framework::bridge;
  return fmt::format("{} {}", bridge ? "bridge" : "mlm", recipe->framework_version);
}

/// What one reference of a rule says about a crash.
struct Clue {
  int place = 0;
  int message = 0;
  bool contradicted = false;  // the message is another's
  bool of_version = false;    // the line is that of the recipe's version
  std::vector<std::string> grounds;

  int score() const { return contradicted ? 0 : place + message; }
};

class Investigation {
 public:
  Investigation(const Crash& crash, const lint::Result* recipe)
      : crash_(crash),
        message_(plain_wording(crash.message)),
        code_(plain_wording(crash.code)),
        marks_(message_marks(crash.message)),
        deliberate_(crash.kind == Crash::Kind::raised && !is_of_python(crash.exception)),
        says_(!crash.message.empty() && !is_of_python(crash.exception)),
        recipe_(recipe),
        version_(version_of(recipe)) {}

  Suspect look(const lint::Rule& rule, const lint::Knowledge& knowledge) const {
    Suspect suspect;
    suspect.rule = &rule;
    suspect.basis = Basis::words;
    if (take_words(rule, message_, "the message holds", suspect)) {
      suspect.place = look_at_references(rule, knowledge).place;
      return suspect;
    }
    suspect.basis = Basis::code;
    if (take_words(rule, code_, "the line that raised it holds", suspect)) {
      return suspect;
    }
    if (rule.places.empty()) {
      return suspect;  // refers to many lines, and raises at none of them
    }
    auto best = look_at_references(rule, knowledge);
    suspect.basis = best.message > 0 ? Basis::alike : Basis::place;
    const bool foreseen = recipe_ != nullptr && recipe_->launch.rule == &rule;
    suspect.score = best.score() >= (foreseen ? kFunctionPoints : kWorthNaming) ? best.score() : 0;
    suspect.of_version = best.of_version;
    suspect.grounds = std::move(best.grounds);
    return suspect;
  }

 private:
  static bool take_words(const lint::Rule& rule,
                         std::string_view plain,
                         std::string_view where,
                         Suspect& suspect) {
    for (const auto fragment : rule.log) {
      const int length = static_cast<int>(wording_in(plain, fragment));
      if (length > suspect.score) {
        suspect.score = length;
        suspect.grounds = {fmt::format("{} \"{}\"", where, fragment)};
      }
    }
    return suspect.score > 0;
  }

  Clue look_at_references(const lint::Rule& rule, const lint::Knowledge& knowledge) const {
    Clue best;
    bool rule_says = false;
    const auto consider = [&](const lint::Reference& reference) {
      const auto* fragment = find_fragment(knowledge, reference);
      auto clue = fragment == nullptr ? Clue{} : look(reference, *fragment);
      rule_says = rule_says || (fragment != nullptr && !fragment->message.empty());
      clue.contradicted = clue.contradicted || (says_ && clue.message == 0 && !rule.log.empty());
      if (clue.score() > best.score()) {
        best = std::move(clue);
      }
    };
    for (auto reference : rule.references) {
      consider(reference);
      for (const auto& place : rule.places) {  // the check itself, near what is referred to
        const auto line = std::to_string(place.order);
        reference.lines = line;
        consider(reference);
      }
    }
    // A check that has something to say does not fail in silence.
    return deliberate_ && !says_ && rule_says ? Clue{} : best;
  }

  Clue look(const lint::Reference& reference, const lint::Fragment& fragment) const {
    Clue clue;
    for (std::size_t i = 0; i < crash_.frames.size(); ++i) {
      if (same_file(crash_.frames[i].path, reference.path)) {
        compare(crash_.frames[i], fragment, i + 1 == crash_.frames.size(), clue);
      }
    }
    std::size_t shared = 0;
    for (const auto mark : fragment.message) {
      shared += std::ranges::binary_search(marks_, mark) ? 1U : 0U;
    }
    const auto all = fragment.message.size();
    if (shared >= std::min(kFewestMarks, all) && shared * kSmallestShare >= all && all > 0) {
      clue.message = static_cast<int>(static_cast<std::size_t>(kMessagePoints) * shared / all);
      clue.grounds.push_back(
          fmt::format("its message: {} of {} word marks are there", shared, all));
    } else {
      clue.contradicted = says_ && all > 0;
    }
    return clue;
  }

  /// A frame in the file of the fragment: the line of some version, or at least the function.
  void compare(const Frame& frame,
               const lint::Fragment& fragment,
               bool innermost,
               Clue& clue) const {
    const auto at = std::ranges::find_if(fragment.seen, [&](const lint::SeenAt& seen) {
      return frame.line >= seen.line && frame.line < seen.line + std::max(fragment.count, 1) &&
             (!knows_version(fragment) || seen.version == version_);
    });
    const auto name = fragment.symbol.substr(fragment.symbol.rfind('.') + 1);
    const bool function = !name.empty() && name == frame.function;
    int points = function ? kFunctionPoints : 0;
    std::string ground = function ? fmt::format("the function {}", frame.function) : "";
    if (at != fragment.seen.end() && (function || frame.function.empty())) {
      points += kLinePoints;
      ground = fmt::format("line {} of {} in {}", frame.line, frame.function, at->version);
    }
    points = innermost ? points : points / 2;
    if (points > clue.place) {
      clue.place = points;
      clue.of_version = at != fragment.seen.end() && at->version == version_;
      clue.grounds = {std::move(ground)};
    }
  }

  /// Whether the lines of the version that the recipe is for are known at this place.
  bool knows_version(const lint::Fragment& fragment) const {
    return !version_.empty() &&
           std::ranges::find(fragment.seen, version_, &lint::SeenAt::version) !=
               fragment.seen.end();
  }

  const Crash& crash_;
  std::string message_;
  std::string code_;
  std::vector<std::string> marks_;
  bool deliberate_;  // by a check, whether it says something or not
  bool says_;        // in words of the check
  const lint::Result* recipe_;
  std::string version_;
};

/// What the recipe says about a rule that a crash may be about.
void ask_recipe(const lint::Result& recipe, Suspect& suspect) {
  const auto where = standing(*suspect.rule, recipe);
  if (where.ends_launch) {
    suspect.support = 2;
    suspect.grounds.emplace_back("the launch of the recipe ends with it");
  } else if (where.broken()) {
    suspect.support = 1;
    suspect.grounds.emplace_back("the recipe breaks it");
  } else if (where.kind != Standing::Kind::open) {
    suspect.support = -1;
  }
}

/// Which evidence counts at all: words before lines, but a recipe that breaks a rule before a few
/// words of one that it keeps.
int rank(const Suspect& suspect) {
  const int support = std::max(suspect.support, 0);
  switch (suspect.basis) {
    case Basis::place:
      return support;
    case Basis::alike:
      return support + 1;
    case Basis::code:
    case Basis::words:
      break;
  }
  return suspect.support < 0 && suspect.score < kStrongWords ? 1 : 3;
}

/// Words that say more win; the recipe decides where they say about as much.
int weight(const Suspect& suspect) {
  return suspect.score * (100 + kSupportPercent * std::max(suspect.support, 0));
}

bool better(const Suspect& a, const Suspect& b) {
  const auto key = [](const Suspect& each) {
    return std::tuple(rank(each), each.basis, weight(each));
  };
  return key(a) > key(b);
}

/// Where two rules share their words, the place tells which is meant.
bool before(const Suspect& a, const Suspect& b) {
  return better(a, b) || (!better(b, a) && a.place > b.place);
}

/// Words that are told of one rule alone make sure. So do the line in the recipe's own version and
/// the launch that ends there, when the error says nothing. Advice is never the cause for sure.
bool is_sure(const std::vector<Suspect>& all, const lint::Result* recipe) {
  const auto& first = all.front();
  if (first.rule->severity != lint::Severity::error || (all.size() > 1 && !better(first, all[1]))) {
    return false;
  }
  const bool predicted = recipe != nullptr && recipe->launch.rule == first.rule;
  return first.basis >= Basis::code || (predicted && first.of_version);
}

/// Python's own error where the launch of the recipe is known to end with one of that name.
bool is_predicted_crash(const Crash& crash, const lint::Result* recipe) {
  return recipe != nullptr && recipe->launch.rule != nullptr && is_of_python(crash.exception) &&
         recipe->launch.crash.starts_with(crash.exception);
}

}  // namespace

std::string_view to_string(Basis basis) {
  switch (basis) {
    case Basis::place:
      return "place";
    case Basis::alike:
      return "alike";
    case Basis::code:
      return "code";
    case Basis::words:
      break;
  }
  return "words";
}

std::vector<Suspect> suspects(const Crash& crash,
                              const lint::Knowledge& knowledge,
                              const lint::Result* recipe,
                              int most) {
  const Investigation investigation(crash, recipe);
  std::vector<Suspect> all;
  for (const auto& rule : knowledge.rules) {
    auto suspect = investigation.look(rule, knowledge);
    const bool predicted = is_predicted_crash(crash, recipe) && recipe->launch.rule == &rule;
    if (suspect.score == 0 && !predicted) {
      continue;
    }
    if (recipe != nullptr) {
      ask_recipe(*recipe, suspect);
    }
    all.push_back(std::move(suspect));
  }
  std::ranges::stable_sort(all, before);
  if (!all.empty()) {
    all.front().sure = is_sure(all, recipe);
  }
  if (!all.empty() && all.front().basis >= Basis::code && all.front().sure) {
    all.resize(1);  // lines of other versions would only confuse
  }
  if (all.size() > static_cast<std::size_t>(most)) {
    all.resize(static_cast<std::size_t>(most));
  }
  return all;
}

}  // namespace epwise::audit
