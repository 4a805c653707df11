#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lint/finding.h"

namespace epwise::report {

/// Names a finding so that it is found again after lines moved: 16 hexadecimal digits and, behind a
/// colon, a count for further ones that are the same in everything.
class Fingerprints {
 public:
  /// Of the finding: rule, file, JSON Pointers and the values that the rule read. A changed value
  /// is a new finding; a moved line is not. `uri` names the file and, after a "#", its document.
  std::string of_finding(std::string_view uri, const lint::Finding& finding);

  /// Of the text of the line that carries it, without its blanks: what GitHub's code scanning
  /// compares.
  std::string of_line(std::string_view uri, const lint::Finding& finding);

  /// Of a sentence that tells why something was not checked: whatever else failed beside it.
  std::string of_failure(std::string_view sentence);

 private:
  std::string counted(const std::string& text);

  std::map<std::string, int> seen_;
};

}  // namespace epwise::report
