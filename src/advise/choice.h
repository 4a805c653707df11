#pragma once

#include <vector>

#include "advise/comparison_tables.h"

namespace epwise::advise {

/// Which dispatcher to take from the table of a recipe: the fastest, and of those that are too close
/// to call the documents' first choice (in a bring-up that one whatever it costs); with the reason,
/// what documents say about the model, its memory against all-to-all, and published runs.
Choice choice_of(const Study& study, const std::vector<DispatcherRow>& rows);

/// Published comparisons of this model or on this kind of GPU, the likest first.
std::vector<PublishedRow> published_for(const Study& study, const std::vector<DispatcherRow>& rows);

}  // namespace epwise::advise
