#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lint/engine.h"
#include "repair/bench.h"

namespace epwise::repair {

/// Tries every fix of every finding: applies it to the recipe's text and lints the result. Fixes
/// with which the finding stays, a new one at or above warning appears, or the launch gets worse
/// are dropped, the others get their patches: of the file, or, nowhere, the words that the command
/// line would have; notes go without where their fixes can be judged without the text. An error
/// whose fixes all bring something new gets one that settles that too, where there is one.
/// The cheapest stands first (spelling, then loss, tier, size and distance, see Price); advice
/// without edits stays, last. The fixes of findings below `from` stay as they are, untried.
void prove_fixes(const Bench& bench,
                 const recipe::Recipe& recipe,
                 lint::Result& result,
                 lint::Severity from = lint::Severity::note);

/// The same for one finding, whatever its severity, and with the patches of notes too: what an
/// editor offers where somebody asks.
void prove_fixes_of(const Bench& bench,
                    const recipe::Recipe& recipe,
                    lint::Result& result,
                    std::size_t number);

/// The lines of a file that other bytes (a draft's, with their byte-order mark) change.
std::vector<lint::Fix::Patch> patches_of(const text::SourceFile& file, const std::string& bytes);

}  // namespace epwise::repair
