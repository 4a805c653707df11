/// Two recipes of any bytes, with a line `%%` between them, compared. What must hold: a recipe does
/// not differ from itself; both directions tell the same changes and swap what comes and what goes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded/embedded.h"
#include "commands/diff/difference.h"
#include "lint/engine.h"
#include "lint/knowledge.h"
#include "recipe/load.h"
#include "recipe/vocabulary/vocabulary.h"
#include "support/fuzz_target.h"
#include "support/head_vocabulary.h"
#include "support/recent.h"
#include "support/require.h"

namespace {

using epwise::diff::Difference;
using epwise::lint::Result;
using epwise::recipe::Framework;
using epwise::recipe::Recipe;
using epwise::recipe::Vocabulary;
using epwise::support::head_vocabulary;
using epwise::support::require;

const epwise::lint::Knowledge& knowledge() {
  static const epwise::lint::Knowledge kKnowledge = epwise::lint::load_knowledge();
  return kKnowledge;
}

/// The first recipe of a text, linted; it does not differ from itself.
class Sheet {
 public:
  explicit Sheet(std::string_view bytes) {
    target_.gpus = 16;
    epwise::recipe::Request request;
    request.file =
        std::make_shared<const epwise::text::SourceFile>("fuzz.yaml", std::string(bytes));
    recipes_ = epwise::recipe::load(request, head_vocabulary);
    if (!recipes_.empty()) {
      result_ = epwise::lint::lint(recipes_.front(), vocabulary(), target_, knowledge());
      const Difference same = epwise::diff::difference_of(side(), side(), knowledge());
      require(same.changed.empty() && same.introduced.empty() && same.removed.empty());
    }
  }

  bool empty() const { return recipes_.empty(); }

  epwise::diff::Side side() const { return {recipes_.front(), vocabulary(), target_, result_}; }

 private:
  const Vocabulary& vocabulary() const { return head_vocabulary(recipes_.front().framework); }

  epwise::facts::Target target_;
  std::vector<Recipe> recipes_;
  Result result_;
};

std::shared_ptr<const Sheet> sheet_of(std::string_view bytes) {
  static epwise::support::Recent<Sheet> recent;
  return recent.of(std::string(bytes), [bytes] { return std::make_shared<const Sheet>(bytes); });
}

}  // namespace

FUZZ_TARGET(diff) {
  constexpr std::string_view kBetween = "\n%%\n";
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t at = bytes.find(kBetween);
  constexpr std::size_t kMost = 1U << 13U;
  if (at == std::string_view::npos || size > kMost) {
    return 0;
  }
  const auto before = sheet_of(bytes.substr(0, at));
  const auto after = sheet_of(bytes.substr(at + kBetween.size()));
  if (before->empty() || after->empty()) {
    return 0;
  }
  const auto there = epwise::diff::difference_of(before->side(), after->side(), knowledge());
  const auto back = epwise::diff::difference_of(after->side(), before->side(), knowledge());
  require(there.changed.size() == back.changed.size());
  require(there.introduced.size() == back.removed.size());
  require(there.removed.size() == back.introduced.size());
  return 0;
}
