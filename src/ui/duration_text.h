#pragma once

#include <string>

namespace epwise::report {

/// Three significant digits: "42.6 s", "823 ms", "95.1 us".
std::string seconds_text(double seconds);

/// "6154", "31.3", "4.05": at least three significant digits of a number of at least 1.
std::string count_text(double value);

}  // namespace epwise::report
