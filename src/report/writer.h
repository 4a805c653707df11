#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/lint_report.h"

namespace epwise::report {

/// How text is drawn. Machine formats ignore it.
struct Style {
  bool colour = false;
  bool unicode = true;      // false: ASCII fallbacks
  int width = 100;          // columns of the terminal; snippets are clipped, sentences wrapped
  bool quiet = false;       // -q: findings only, no summary
  bool hyperlinks = false;  // OSC 8
  bool verbose = false;
};

/// One output format.
struct Writer {
  std::string_view name;  // "full", "concise", "json", "sarif", "github"
  std::string_view summary;
  std::string (*write)(const LintReport& report, const Style& style) = nullptr;
};

/// THE list of formats.
std::span<const Writer> writers();

const Writer* find_writer(std::string_view name);

}  // namespace epwise::report
