#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/explain/crash_log.h"
#include "lint/knowledge.h"

/// Matches the `log` fragments of rules against program output.

namespace epwise::audit {

/// Converts to lower case and single blanks: versions differ in both.
std::string plain_wording(std::string_view text);

/// An error and its traceback in one text: names, message, frames and source lines, as
/// `plain_wording` leaves them.
std::string everything_of(const Crash& crash);

/// Whether a normalised text contains a fragment. "..." in a fragment matches anything (a number, a
/// name): "layers ... per stage". Returns the number of letters in the fragment, 0 if it does not
/// match.
std::size_t wording_in(std::string_view plain, std::string_view fragment);

/// For logs without a recognisable error: lines near the end that contain words of a rule,
/// reported as mentioned errors. At most `most`, in log order.
std::vector<Crash> spoken_lines(std::string_view log,
                                const lint::Knowledge& knowledge,
                                std::size_t most = 3);

/// A failure from rules/tables/troubles.yaml found in a log.
struct Recognised {
  const lint::Trouble* trouble = nullptr;
  std::string_view words;               // fragment from the table found in the log
  std::vector<std::string_view> hints;  // what further words of the log add
  std::vector<std::string> facts = {};  // what the numbers of the message mean
  bool tight = false;                   // its figures exclude fragmentation of memory
  bool by_place = false;                // only where the error was raised is known, not its words
};

/// The failure whose words an error contains in its name, message or (hints) frames; the longest
/// match wins. Of an error without known words, the part of the program where it was raised.
/// nullopt if there is neither.
std::optional<Recognised> recognise(const Crash& crash, const lint::Knowledge& knowledge);

/// Lines that contain the words of a failure without the form of an error, reported as mentioned
/// errors: the first line for each failure, in log order. For logs without recognised errors.
std::vector<Crash> trouble_lines(std::string_view log, const lint::Knowledge& knowledge);

}  // namespace epwise::audit
