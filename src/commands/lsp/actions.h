#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/lsp/client.h"
#include "commands/lsp/lint_service.h"

namespace epwise::lsp {

/// The fixes for one version of a text, verified on first use.
class Fixes {
 public:
  explicit Fixes(std::shared_ptr<const LintedDocument> reading) : reading_(std::move(reading)) {}

  const LintedDocument& reading() const { return *reading_; }

  /// The finding with its verified fixes and their patches, cheapest first.
  const lint::Finding& finding(std::size_t analysis, std::size_t number);

 private:
  std::shared_ptr<const LintedDocument> reading_;
  std::map<std::pair<std::size_t, std::size_t>, lint::Finding> tried_;
};

/// The document that edits are for.
struct Edited {
  std::string uri;
  std::int64_t version = 0;
};

/// Code actions for the findings in a range: one per fix, labelled with its tier. With `all_fixes`,
/// one more that applies all fixes that do not affect the run.
Json actions_between(
    Fixes& fixes, std::size_t begin, std::size_t end, const Edited& edited, const Client& client);

/// `source.fixAll`: everything that --fix would do within the neutral tier.
Json fix_all(const LintedDocument& reading, const Edited& edited, const Client& client);

}  // namespace epwise::lsp
