#include "commands/explain/suspects.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "commands/explain/troubles.h"
#include "commands/rules/drift.h"
#include "lint/rule.h"
#include "recipe/framework.h"

namespace epwise::audit {

namespace {

constexpr int kLinePoints = 30;
constexpr int kFunctionPoints = 5;  // the function alone is not worth reporting
constexpr int kWorthNaming = 20;
constexpr int kMessagePoints = 60;
constexpr int kStrongWords = 40;           // length of a fragment that cannot match by accident
constexpr int kSupportPercent = 20;        // score added by a recipe that violates the rule
constexpr std::size_t kSmallestShare = 2;  // half of a message's marks must match
constexpr std::size_t kFewestMarks = 2;
constexpr int kMostMessages = 5;  // with a word triple that still identifies one of them

/// "src/megatron/bridge/x.py" in the repository is ".../megatron/bridge/x.py" at run time.
bool same_file(std::string_view logged, std::string_view path) {
  if (path.starts_with("src/")) {
    path.remove_prefix(4);
  }
  return logged.ends_with(path) &&
         (logged.size() == path.size() || logged[logged.size() - path.size() - 1] == '/');
}

/// Errors raised by Python itself: their messages are about values, not about the check.
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

/// "mlm 0.19.0" of the recipe's target; "" if it is only assumed.
std::string version_of(const lint::Result* recipe) {
  if (recipe == nullptr || recipe->version_assumed || recipe->recipe == nullptr) {
    return {};
  }
  const bool bridge = recipe->recipe->framework == recipe::Framework::bridge;
  return fmt::format("{} {}", bridge ? "bridge" : "mlm", recipe->framework_version);
}

/// The evidence of one reference of a rule for a crash.
struct Clue {
  int place = 0;
  int message = 0;
  bool contradicted = false;  // the message belongs to another check
  bool of_version = false;    // the line number is that of the recipe's version
  std::vector<std::string> grounds;

  int score() const { return contradicted ? 0 : place + message; }
};

/// In how many of upstream's messages a word triple is: "must be divisible" is in dozens of them and
/// identifies none.
class Usage {
 public:
  explicit Usage(const lint::Knowledge& knowledge) {
    for (const lint::Fragment& fragment : *knowledge.tables.fragments) {
      for (const std::string_view mark : fragment.message) {
        ++seen_[mark];
      }
    }
  }

  bool is_common(std::string_view mark) const {
    const auto seen = seen_.find(mark);
    return seen != seen_.end() && seen->second > kMostMessages;
  }

 private:
  std::map<std::string_view, int> seen_;
};

class Investigation {
 public:
  Investigation(const Crash& crash, const lint::Result* recipe, const Usage& usage)
      : usage_(usage),
        crash_(crash),
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
    if (take_words(rule, message_, "the message contains", suspect)) {
      suspect.place = look_at_references(rule, knowledge).place;
      return suspect;
    }
    suspect.basis = Basis::code;
    if (take_words(rule, code_, "the line that raised it contains", suspect)) {
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
    for (const auto fragment : rule.prose->log) {
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
      clue.contradicted =
          clue.contradicted || (says_ && clue.message == 0 && !rule.prose->log.empty());
      if (clue.score() > best.score()) {
        best = std::move(clue);
      }
    };
    for (auto reference : rule.prose->references) {
      consider(reference);
      for (const auto& place : rule.places) {  // the check itself, close to the referenced lines
        const auto line = std::to_string(place.order);
        reference.lines = line;
        consider(reference);
      }
    }
    // A check with a message does not fail without one.
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
    bool tells = clue.place > 0;  // the line, or words that few messages have
    for (const auto mark : fragment.message) {
      const bool is_shared = std::ranges::binary_search(marks_, mark);
      shared += is_shared ? 1U : 0U;
      tells = tells || (is_shared && !usage_.is_common(mark));
    }
    const auto all = fragment.message.size();
    if (tells && shared >= std::min(kFewestMarks, all) && shared * kSmallestShare >= all &&
        all > 0) {
      clue.message = static_cast<int>(static_cast<std::size_t>(kMessagePoints) * shared / all);
      clue.grounds.push_back(fmt::format("its message: {} of {} word hashes match", shared, all));
    } else {
      clue.contradicted = says_ && all > 0;
    }
    return clue;
  }

  /// A frame in the fragment's file: the line of some version, or at least the function.
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

  /// Whether the line numbers of the recipe's version are known for this reference.
  bool knows_version(const lint::Fragment& fragment) const {
    return !version_.empty() &&
           std::ranges::find(fragment.seen, version_, &lint::SeenAt::version) !=
               fragment.seen.end();
  }

  const Usage& usage_;
  const Crash& crash_;
  std::string message_;
  std::string code_;
  std::vector<std::string> marks_;
  bool deliberate_;  // by a check, with or without a message
  bool says_;        // in words of the check
  const lint::Result* recipe_;
  std::string version_;
};

/// The recipe's evidence for a rule that may explain a crash.
void ask_recipe(const lint::Result& recipe, Suspect& suspect) {
  const auto where = standing(*suspect.rule, recipe);
  if (where.ends_launch) {
    suspect.support = 2;
    suspect.grounds.emplace_back("the launch of the recipe fails in it");
  } else if (where.broken()) {
    suspect.support = 1;
    suspect.grounds.emplace_back("the recipe violates it");
  } else if (where.kind != Standing::Kind::open) {
    suspect.support = -1;
  }
}

/// Which evidence counts: words before line numbers, but a rule violated by the recipe before a few
/// words of one that it satisfies.
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

/// More specific words win; the recipe decides between similar ones.
int weight(const Suspect& suspect) {
  return suspect.score * (100 + kSupportPercent * std::max(suspect.support, 0));
}

bool better(const Suspect& a, const Suspect& b) {
  const auto key = [](const Suspect& each) {
    return std::tuple(rank(each), each.basis, weight(each));
  };
  return key(a) > key(b);
}

/// If two rules share their words, the location distinguishes them.
bool before(const Suspect& a, const Suspect& b) {
  return better(a, b) || (!better(b, a) && a.place > b.place);
}

/// Words unique to one rule are conclusive. So are the line number of the recipe's own version and
/// the launch that fails there, if the error has no message. Advice is never conclusive.
bool is_sure(const std::vector<Suspect>& all, const lint::Result* recipe) {
  const auto& first = all.front();
  if (first.rule->severity != lint::Severity::error || (all.size() > 1 && !better(first, all[1]))) {
    return false;
  }
  const bool predicted = recipe != nullptr && recipe->launch.rule == first.rule;
  return first.basis >= Basis::code || (predicted && first.of_version);
}

/// Python's own error if the launch of the recipe is known to end with that exception.
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
  const Usage usage(knowledge);
  const Investigation investigation(crash, recipe, usage);
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
    all.resize(1);  // lines of other versions would be confusing
  }
  if (all.size() > static_cast<std::size_t>(most)) {
    all.resize(static_cast<std::size_t>(most));
  }
  return all;
}

namespace {

const lint::Finding* finding_of(const lint::Rule* rule, const lint::Result& recipe) {
  const auto found = std::ranges::find(recipe.findings, rule, &lint::Finding::rule);
  return found == recipe.findings.end() ? nullptr : &*found;
}

}  // namespace

std::string_view to_string(Standing::Kind kind) {
  switch (kind) {
    case Standing::Kind::found:
      return "found";
    case Standing::Kind::explained:
      return "explained";
    case Standing::Kind::open:
      return "open";
    case Standing::Kind::absent:
      return "absent";
    case Standing::Kind::holds:
      break;
  }
  return "holds";
}

Standing standing(const lint::Rule& rule, const lint::Result& recipe) {
  Standing result;
  result.ends_launch = recipe.launch.rule == &rule;
  result.finding = finding_of(&rule, recipe);
  if (result.finding != nullptr) {
    result.kind = Standing::Kind::found;
    return result;
  }
  const auto explained = std::ranges::find(recipe.explained, &rule, &lint::Explained::rule);
  if (explained != recipe.explained.end()) {
    result.kind = Standing::Kind::explained;
    result.by = explained->by;
    result.finding = finding_of(explained->by, recipe);
    return result;
  }
  const auto open = std::ranges::find(recipe.open, &rule, &lint::Open::rule);
  if (open != recipe.open.end()) {
    result.kind = Standing::Kind::open;
    result.open = &*open;
    return result;
  }
  const auto framework = recipe::to_string(recipe.recipe->framework);
  if (!lint::holds(rule.versions, framework, recipe.framework_version)) {
    result.kind = Standing::Kind::absent;
  }
  return result;
}

}  // namespace epwise::audit
