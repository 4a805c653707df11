#pragma once

#include <string>
#include <string_view>

#include "base/text/diagnostic.h"
#include "lint/finding.h"
#include "ui/findings/lint_report.h"

namespace epwise::report {

/// The location of a finding for output: a path that an editor can open and, unless it does not
/// belong to the text, a range with an exclusive end, both counted from 1.
struct Place {
  std::string path;
  bool positioned = false;
  text::Position start;   // 1:1 without a position
  text::Position finish;  // first character after the range
};

/// A mark that is nowhere gets the path of the recipe.
Place place_of(const LintedFile& file, const text::Mark& mark);

/// The same for consumers that only know files: locations on the command line or without a position
/// become the start of the recipe.
Place place_in_file(const LintedFile& file, const text::Mark& mark);

/// The file's own path without the "#2" of a later document.
std::string file_path(const LintedFile& file);

/// False if the file could not be read as a recipe.
bool is_readable(const LintedFile& file);

/// False for "<stdin>", "<command line>" and recipes of Megatron-Bridge, which are in no file.
bool is_real_file(const std::string& path);

/// The user's text at a mark if it is short and on one line; otherwise empty.
std::string marked_text(const text::Mark& mark);

using session::repository_path;

/// A path from the root of the repository as a relative URI reference, with bytes that an URI can't
/// hold percent-encoded.
///   repository_uri({"/repo", "recipes/"}, "../a b.yaml") → "a%20b.yaml"
/// A path outside the root gives "file:///…".
std::string repository_uri(const Checkout& checkout, std::string_view path);

}  // namespace epwise::report
