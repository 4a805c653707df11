#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/diagnostic.h"
#include "text/source_file.h"

/// What a line of a log says, and what is said of a log that says too little.
namespace epwise::calibrate {

/// words_of("  a b\t c") → "a", "b", "c"
std::vector<std::string_view> words_of(std::string_view line);

/// Digits and points alone: is_number("12.5") → true
bool is_number(std::string_view text);

/// The number that stands behind `key`: number_behind("num_topk=8,", "num_topk=") → "8"; empty for
/// none.
std::string number_behind(std::string_view line, std::string_view key);

/// The number in front of `unit`: number_before("t: 650.12 us", " us") → "650.12"; empty for none.
std::string number_before(std::string_view line, std::string_view unit);

text::Diagnostic log_trouble(const text::SourceFile& file, std::string message, std::string help);

}  // namespace epwise::calibrate
