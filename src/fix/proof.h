#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fix/verdict.h"
#include "lint/engine.h"

namespace epwise::fix {

/// Verifies every fix of every finding: applies it to the recipe's text and lints the result. Drops
/// fixes after which the finding remains, a new one at or above warning appears, or the launch gets
/// worse; adds patches to the others: of the file or, if nowhere, the resulting words of the
/// command line; fixes of notes that can be verified without the text get none. An error whose
/// fixes all cause new findings gets a composite fix if there is one. Cheapest first (spelling,
/// then loss, tier, size and distance, see Price); advice without edits is kept, last. The fixes of
/// findings below `from` stay unverified.
void prove_fixes(session::Analysis& analysis, lint::Severity from = lint::Severity::note);

/// The same for one finding of any severity, with patches also for notes: what an editor offers on
/// request.
void prove_fixes_of(session::Analysis& analysis, std::size_t number);

/// The lines of a file that differ from other bytes (a draft's, with their byte-order mark).
std::vector<lint::Fix::Patch> patches_of(const text::SourceFile& file, const std::string& bytes);

}  // namespace epwise::fix
