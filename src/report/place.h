#pragma once

#include <string>

#include "lint/finding.h"
#include "report/lint/lint_report.h"
#include "text/mark.h"

namespace epwise::report {

/// Where something stands, ready for a format: a path that an editor can open and, unless nothing
/// in the text belongs to it, a range with its end exclusive, both counted from 1.
struct Place {
  std::string path;
  bool positioned = false;
  text::Position start;   // 1:1 without a position
  text::Position finish;  // first character behind the range
};

/// A mark that is nowhere gets the path of the recipe.
Place place_of(const LintedFile& file, const text::Mark& mark);

/// The same for readers that only know files: what stands on the command line or has no position
/// gets the start of the recipe.
Place place_in_file(const LintedFile& file, const text::Mark& mark);

/// The file's own path without the "#2" of a later document.
std::string file_path(const LintedFile& file);

/// False when the file could not be understood as a recipe at all.
bool is_readable(const LintedFile& file);

/// False for "<stdin>" and "<command line>".
bool is_real_file(const std::string& path);

/// The user's text under a mark, when it is short and on one line; else empty.
std::string marked_text(const text::Mark& mark);

}  // namespace epwise::report
