#include "fix/proof.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/text/line_diff.h"
#include "fix/judge.h"
#include "fix/plan.h"
#include "fix/search.h"
#include "lint/spelling_fixes.h"
#include "session/memory.h"

namespace epwise::fix {

namespace {

using lint::Fix;
using session::Draft;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

class Prover {
 public:
  /// `patches_of_notes`: the caller needs them.
  Prover(const session::Analysis& base, bool patches_of_notes)
      : base_(base),
        recipe_(*base.recipe),
        patches_of_notes_(patches_of_notes),
        judge_(base) {}

  bool holds(Fix& fix, const lint::Finding& finding) {
    const auto foreseen = finding.rule->builtin ? std::nullopt : judge_.with(fix);
    if (foreseen && (!settles(fix, finding, *foreseen) || overflows(fix))) {
      return false;
    }
    const Change change = change_of(fix, recipe_, base_.vocabulary());
    std::string obstacle = change.obstacle;
    if (foreseen && obstacle.empty() && finding.severity == lint::Severity::note &&
        !patches_of_notes_) {
      return true;  // left to people: no format contains the patches of notes
    }
    Draft draft = changed(base_, change, obstacle);
    if (!obstacle.empty() || draft == base_.draft) {
      return false;
    }
    if (!change.edits.empty() || !change.script.empty()) {
      fix.patches = patches_of(*recipe_.files.front(), draft.bytes);
    }
    if (!change.words.empty()) {
      fix.patches.push_back({{}, joined(draft.words)});
    }
    return foreseen || settles(fix, finding, tried(std::move(draft)));
  }

  /// The finding with all fixes that its rule offers.
  std::optional<Fix> composed(const lint::Finding& finding) {
    if (!before_) {
      before_ = base_;
    }
    int trials = 0;
    return composed_fix(*before_, finding, lint::Tier::training, trials);
  }

  Price price(const Fix& fix) const { return price_of(fix, recipe_, base_.vocabulary()); }

  /// Cheapest first, advice last.
  void sort(lint::Finding& finding) const {
    std::ranges::stable_sort(finding.fixes, {}, [&](const Fix& fix) {
      const Price price = this->price(fix);
      return std::tuple(fix.edits.empty(),
                        !is_spelling(finding, fix),
                        price.loss,
                        price.tier,
                        price.size,
                        price.distance);
    });
  }

 private:
  /// Errors in the corrected word are not caused by correcting its spelling.
  bool settles(const Fix& fix, const lint::Finding& finding, const Verdict& after) const {
    const std::string name = name_of(finding);
    const bool is_gone = !std::ranges::binary_search(after.findings, name);
    return is_spelling(finding, fix) ? is_gone && after.launch <= judge_.before().launch
                                     : is_better(judge_.before(), after, name);
  }

  /// Rules alone say nothing about memory.
  bool overflows(const Fix& fix) {
    std::string key;
    for (const Fix::Edit& edit : fix.edits) {
      key += edit.name + '\0' + edit.value + '\0';
    }
    const auto known = overflows_.find(key);
    return known != overflows_.end()
               ? known->second
               : overflows_.emplace(key, session::would_overflow(base_, fix.edits)).first->second;
  }

  /// Findings often share a fix.
  const Verdict& tried(Draft draft) {
    std::string key = draft.bytes;
    for (const std::string& word : draft.words) {
      key += '\0' + word;
    }
    const auto found = verdicts_.find(key);
    if (found != verdicts_.end()) {
      return found->second;
    }
    const Verdict verdict = verdict_of(base_.with(std::move(draft)));
    return verdicts_.emplace(std::move(key), verdict).first->second;
  }

  const session::Analysis& base_;
  const recipe::Recipe& recipe_;
  bool patches_of_notes_;
  Judge judge_;
  std::map<std::string, Verdict> verdicts_;
  std::map<std::string, bool> overflows_;    // by the edits of a fix
  std::optional<session::Analysis> before_;  // a copy, made on first use: fixes of base_ change
};

bool has_edits(const Fix& fix) {
  return !fix.edits.empty();
}

bool is_same(const Fix& a, const Fix& b) {
  return std::ranges::equal(a.edits, b.edits, [](const Fix::Edit& one, const Fix::Edit& other) {
    return one.name == other.name && one.value == other.value;
  });
}

void prove(Prover& prover, lint::Finding& finding) {
  std::vector<Fix> offered = finding.fixes;
  std::optional<Price> dropped;  // the cheapest
  std::optional<Price> kept;
  std::erase_if(finding.fixes, [&](Fix& fix) {
    const bool goes = has_edits(fix) && !prover.holds(fix, finding);
    if (has_edits(fix)) {
      auto& cheapest = goes ? dropped : kept;
      const Price price = prover.price(fix);
      cheapest = cheapest && *cheapest < price ? *cheapest : price;
    }
    return goes;
  });
  if (finding.severity == lint::Severity::error && dropped && (!kept || *dropped < *kept)) {
    finding.fixes.swap(offered);
    auto whole = prover.composed(finding);
    finding.fixes.swap(offered);
    const bool known = whole && std::ranges::any_of(finding.fixes, [&](const Fix& fix) {
                         return is_same(fix, *whole);
                       });
    if (whole && !known && prover.holds(*whole, finding)) {
      finding.fixes.insert(finding.fixes.begin(), std::move(*whole));
    }
  }
  prover.sort(finding);
}

}  // namespace

std::vector<Fix::Patch> patches_of(const text::SourceFile& file, const std::string& bytes) {
  const std::size_t mark = file.had_byte_order_mark() ? 3 : 0;
  const auto before = text::lines_of(file.bytes());
  const auto after = text::lines_of(std::string_view(bytes).substr(mark));
  const auto place = [&](const std::vector<std::string_view>& lines, int count) {
    std::size_t at = 0;
    for (int i = 0; i < count; ++i) {
      at += lines[static_cast<std::size_t>(i)].size();
    }
    return at;
  };
  std::vector<Fix::Patch> patches;
  for (const text::Hunk& hunk : text::line_diff(before, after)) {
    Fix::Patch patch;
    patch.mark = {&file,
                  static_cast<std::uint32_t>(place(before, hunk.old_begin)),
                  static_cast<std::uint32_t>(place(before, hunk.old_begin + hunk.old_count))};
    for (int i = 0; i < hunk.new_count; ++i) {
      patch.text += after[static_cast<std::size_t>(hunk.new_begin + i)];
    }
    patches.push_back(std::move(patch));
  }
  return patches;
}

void prove_fixes(session::Analysis& analysis, lint::Severity from) {
  if (!analysis.recipe->readable) {
    return;
  }
  Prover prover(analysis, false);
  for (lint::Finding& finding : analysis.result.findings) {
    if (finding.severity >= from) {
      prove(prover, finding);
    }
  }
}

void prove_fixes_of(session::Analysis& analysis, std::size_t number) {
  if (analysis.recipe->readable) {
    Prover prover(analysis, true);
    prove(prover, analysis.result.findings[number]);
  }
}

}  // namespace epwise::fix
