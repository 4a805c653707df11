#pragma once

#include <string>
#include <string_view>

/// How rules' `log` fragments are found in what a program said.
namespace epwise::audit {

/// Small letters and single blanks: versions differ in both.
std::string plain_wording(std::string_view text);

/// Whether a text in plain wording holds a fragment. "..." in a fragment stands for anything
/// between (a number, a name): "layers ... per stage". Gives the length of the fragment's letters,
/// 0 when it is not there.
std::size_t wording_in(std::string_view plain, std::string_view fragment);

}  // namespace epwise::audit
