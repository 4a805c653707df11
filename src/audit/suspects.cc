#include "audit/suspects.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "audit/drift.h"
#include "audit/fingerprint.h"

namespace epwise::audit {

namespace {

constexpr int kLinePoints = 50;
constexpr int kFunctionPoints = 15;
constexpr int kMessagePoints = 60;
constexpr int kLogPoints = 40;
constexpr int kRecipePoints = 25;
constexpr int kDoubt = 3;          // by which a line counts less when the message is another
constexpr int kSmallestShare = 3;  // a third of a message's marks must be there

/// "src/megatron/bridge/x.py" in the repository is ".../megatron/bridge/x.py" where it runs.
bool same_file(std::string_view logged, std::string_view path) {
  if (path.starts_with("src/")) {
    path.remove_prefix(4);
  }
  return logged.ends_with(path) &&
         (logged.size() == path.size() || logged[logged.size() - path.size() - 1] == '/');
}

/// What one reference of a rule says about a crash.
struct Clue {
  int place = 0;
  int message = 0;
  std::vector<std::string> grounds;

  int score() const { return place + message; }
};

class Investigation {
 public:
  explicit Investigation(const Crash& crash)
      : crash_(crash),
        marks_(message_marks(crash.message)) {}

  Suspect look(const lint::Rule& rule, const lint::Knowledge& knowledge) const {
    Clue best;
    const auto consider = [&](const lint::Reference& reference) {
      const auto* fragment = find_fragment(knowledge, reference);
      auto clue = fragment == nullptr ? Clue{} : look(reference, *fragment);
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
    Suspect suspect{&rule, best.score(), false, std::move(best.grounds)};
    for (const auto words : rule.log) {
      if (crash_.message.find(words) != std::string::npos) {
        suspect.score += kLogPoints;
        suspect.grounds.push_back(fmt::format("the message holds \"{}\"", words));
      }
    }
    return suspect;
  }

 private:
  Clue look(const lint::Reference& reference, const lint::Fragment& fragment) const {
    Clue clue;
    for (std::size_t i = 0; i < crash_.frames.size(); ++i) {
      if (!same_file(crash_.frames[i].path, reference.path)) {
        continue;
      }
      const bool innermost = i + 1 == crash_.frames.size();
      compare(crash_.frames[i], fragment, innermost, clue);
    }
    std::size_t shared = 0;
    for (const auto mark : fragment.message) {
      shared += std::ranges::binary_search(marks_, mark) ? 1U : 0U;
    }
    const auto all = fragment.message.size();
    if (shared > 0 && shared * kSmallestShare >= all) {
      clue.message = static_cast<int>(static_cast<std::size_t>(kMessagePoints) * shared / all);
      clue.grounds.push_back(
          fmt::format("its message: {} of {} word marks are there", shared, all));
    } else if (all > 0 && !crash_.message.empty()) {
      clue.place /= kDoubt;  // lines move from version to version; the words do not fit
    }
    return clue;
  }

  /// A frame in the file of the fragment: the line of some version, or at least the function.
  static void compare(const Frame& frame,
                      const lint::Fragment& fragment,
                      bool innermost,
                      Clue& clue) {
    const auto at = std::ranges::find_if(fragment.seen, [&](const lint::SeenAt& seen) {
      return frame.line >= seen.line && frame.line < seen.line + std::max(fragment.count, 1);
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
      clue.grounds = {std::move(ground)};
    }
  }

  const Crash& crash_;
  std::vector<std::string> marks_;
};

bool breaks(const lint::Result& recipe, const lint::Rule& rule) {
  return recipe.launch.rule == &rule ||
         std::ranges::any_of(recipe.findings,
                             [&](const lint::Finding& finding) { return finding.rule == &rule; });
}

}  // namespace

std::vector<Suspect> suspects(const Crash& crash,
                              const lint::Knowledge& knowledge,
                              const lint::Result* recipe,
                              int most) {
  const Investigation investigation(crash);
  std::vector<Suspect> all;
  for (const auto& rule : knowledge.rules) {
    auto suspect = investigation.look(rule, knowledge);
    if (suspect.score >= kWorthNaming && recipe != nullptr && breaks(*recipe, rule)) {
      suspect.score += kRecipePoints;
      suspect.grounds.emplace_back("the recipe breaks it");
    }
    if (suspect.score >= kWorthNaming) {
      all.push_back(std::move(suspect));
    }
  }
  std::ranges::stable_sort(all,
                           [](const Suspect& a, const Suspect& b) { return a.score > b.score; });
  const bool alone = all.size() == 1 || (all.size() > 1 && all[1].score < all[0].score);
  if (alone && all[0].score >= kSure) {
    all[0].sure = true;
  }
  if (all.size() > static_cast<std::size_t>(most)) {
    all.resize(static_cast<std::size_t>(most));
  }
  return all;
}

}  // namespace epwise::audit
