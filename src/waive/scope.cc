#include "waive/scope.h"

#include <algorithm>
#include <string_view>

namespace epwise::waive {

namespace {

using text::Mark;

/// A key with its value, or an item of a list, in the order of the text; the outer before the
/// inner.
void collect(const yaml::Node& node, std::vector<Mark>& stretches) {
  for (const yaml::Entry& entry : node.entries) {
    if (!entry.merged) {
      stretches.push_back({entry.key_mark.file,
                           entry.key_mark.begin,
                           std::max(entry.key_mark.end, entry.value.mark.end)});
      collect(entry.value, stretches);
    }
  }
  for (const yaml::Node& item : node.items) {
    stretches.push_back(item.mark);
    collect(item, stretches);
  }
}

void collect_scalars(const yaml::Node& node, std::vector<Mark>& scalars) {
  if (node.is_scalar() && node.mark == node.defined) {
    scalars.push_back(node.mark);
  }
  for (const yaml::Entry& entry : node.entries) {
    scalars.push_back(entry.key_mark);
    collect_scalars(entry.value, scalars);
  }
  for (const yaml::Node& item : node.items) {
    collect_scalars(item, scalars);
  }
}

/// Whether a line of a script goes on in the next one, or opens a list that does.
bool continues(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t");
  if (last == std::string_view::npos) {
    return false;
  }
  return line[last] == '\\' || line.ends_with('(');
}

}  // namespace

std::vector<Mark> scalars_of(const std::vector<yaml::Document>& documents) {
  std::vector<Mark> scalars;
  for (const yaml::Document& document : documents) {
    collect_scalars(document.root, scalars);
  }
  return scalars;
}

std::optional<Mark> scope_of(const Comment& comment, const std::vector<yaml::Document>& documents) {
  std::vector<Mark> stretches;
  for (const yaml::Document& document : documents) {
    collect(document.root, stretches);
  }
  const text::SourceFile& file = *comment.mark.file;
  const int line = comment.mark.start().line;
  std::optional<Mark> best;
  for (const Mark& stretch : stretches) {
    const bool candidate = comment.whole_line ? stretch.begin > comment.mark.begin
                                              : file.position(stretch.begin).line == line &&
                                                    stretch.begin < comment.mark.begin;
    const bool better = !best || stretch.begin < best->begin ||
                        (stretch.begin == best->begin && stretch.end > best->end);
    if (candidate && better) {
      best = stretch;
    }
  }
  return best;
}

std::optional<Mark> scope_in_script(const Comment& comment) {
  const text::SourceFile& file = *comment.mark.file;
  int line = comment.mark.start().line + (comment.whole_line ? 1 : 0);
  const int last = file.line_count();
  while (comment.whole_line && line <= last &&
         file.line(line).find_first_not_of(" \t") != std::string_view::npos &&
         file.line(line)[file.line(line).find_first_not_of(" \t")] == '#') {
    ++line;
  }
  if (line > last) {
    return std::nullopt;
  }
  const std::size_t begin = file.line_offset(line);
  if (comment.whole_line) {
    const bool list = file.line(line).ends_with('(');
    while (line < last && (continues(file.line(line)) ||
                           (list && file.line(line).find(')') == std::string_view::npos))) {
      ++line;
    }
  }
  const std::size_t end = file.line_offset(line) + file.line(line).size();
  return Mark{&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace epwise::waive
