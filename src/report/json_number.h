#pragma once

namespace epwise::report {

/// Twelve significant digits: more than anyone knows, and the same on every machine.
double rounded(double value);

}  // namespace epwise::report
