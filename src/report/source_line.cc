#include "report/source_line.h"

#include <algorithm>

#include "report/columns.h"

namespace epwise::report {
namespace {

// A terminal column holds at most four bytes and a few combining marks; a line is never drawn wider
// than a terminal.
constexpr std::size_t kBytesPerColumn = 8;

bool continues(std::string_view line, std::size_t at) {
  return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
}

/// The bytes of the line that can be seen: all of them, or enough around the first range.
struct Excerpt {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Excerpt visible(std::string_view line, const std::vector<ByteRange>& ranges, int width) {
  const std::size_t reach = static_cast<std::size_t>(width) * kBytesPerColumn;
  if (line.size() <= 3 * reach) {
    return {.begin = 0, .end = line.size()};
  }
  const std::size_t focus = ranges.empty() ? 0 : std::min<std::size_t>(ranges[0].from, line.size());
  std::size_t begin = focus > reach ? focus - reach : 0;
  std::size_t end = std::min(line.size(), focus + 2 * reach);
  while (begin > 0 && begin < focus && continues(line, begin)) {
    ++begin;
  }
  while (end > focus && continues(line, end)) {
    --end;
  }
  return {.begin = begin, .end = end};
}

/// Columns at which the cells begin, and the width of all of them at the end.
std::vector<int> starts(const std::vector<Cell>& drawn) {
  std::vector<int> result;
  result.reserve(drawn.size() + 1);
  int column = 0;
  for (const Cell& cell : drawn) {
    result.push_back(column);
    column += cell.width;
  }
  result.push_back(column);
  return result;
}

int column_of(const std::vector<Cell>& drawn, const std::vector<int>& columns, std::size_t offset) {
  const auto cell =
      std::lower_bound(drawn.begin(), drawn.end(), offset, [](const Cell& c, std::size_t o) {
        return c.offset < o;
      });
  return columns[static_cast<std::size_t>(cell - drawn.begin())];
}

struct Window {
  int from = 0;  // columns of the uncut excerpt
  int to = 0;
  bool cut_left = false;
  bool cut_right = false;
};

Window choose(int total, ColumnRange focus, int width, int dots, Window edges) {
  if (!edges.cut_left && !edges.cut_right && total <= width) {
    return {.from = 0, .to = total};
  }
  if (!edges.cut_left && focus.to + dots <= width) {
    return {.from = 0, .to = width - dots, .cut_right = true};
  }
  const int inner = std::max(width - 2 * dots, 1);
  const int size = std::min(focus.to - focus.from, inner);
  const int before = std::min((inner - size) / 2, focus.from);
  const int from = focus.from - before;
  if (!edges.cut_right && total - from <= inner + dots) {
    return {.from = std::max(total - inner - dots, 0), .to = total, .cut_left = true};
  }
  return {.from = from, .to = from + inner, .cut_left = true, .cut_right = true};
}

std::vector<ColumnRange> place(const std::vector<Cell>& drawn,
                               const std::vector<int>& columns,
                               const std::vector<ByteRange>& ranges,
                               const Excerpt& excerpt) {
  const auto column = [&](std::uint32_t offset) {
    const std::size_t inside = std::clamp<std::size_t>(offset, excerpt.begin, excerpt.end);
    return column_of(drawn, columns, inside - excerpt.begin);
  };
  std::vector<ColumnRange> result;
  result.reserve(ranges.size());
  for (const ByteRange& range : ranges) {
    const int from = column(range.from);
    result.push_back({.from = from, .to = std::max(column(range.to), from + 1)});
  }
  return result;
}

/// A range of the uncut excerpt in the cut line, whose dots are `dots` columns wide.
ColumnRange shown(ColumnRange range, const Window& window, int dots) {
  const int lead = window.cut_left ? dots : 0;
  const int end = window.to - window.from + lead;
  if (window.cut_right && range.from >= window.to) {
    return {.from = end, .to = end + 1};
  }
  if (window.cut_left && range.to <= window.from) {
    return {.from = 0, .to = 1};
  }
  const int from = std::max(range.from - window.from + lead, window.cut_left ? lead - 1 : 0);
  const int to = window.cut_right && range.to > window.to ? end + 1 : range.to - window.from + lead;
  return {.from = from, .to = std::max(to, from + 1)};
}

std::string cut(const std::vector<Cell>& drawn,
                const std::vector<int>& columns,
                const Window& window,
                std::string_view dots) {
  std::string text;
  int used = window.from;
  if (window.cut_left) {
    text += dots;
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (columns[i] < window.from || columns[i + 1] > window.to) {
      continue;
    }
    // A wide character that the left edge cuts in two leaves a blank.
    text.append(static_cast<std::size_t>(columns[i] - used), ' ');
    text += drawn[i].glyph;
    used = columns[i + 1];
  }
  if (window.cut_right) {
    text.append(static_cast<std::size_t>(std::max(window.to - used, 0)), ' ');
    text += dots;
  }
  return text;
}

}  // namespace

SourceLine draw_line(std::string_view line,
                     const std::vector<ByteRange>& ranges,
                     int width,
                     bool unicode) {
  const Excerpt excerpt = visible(line, ranges, width);
  const std::vector<Cell> drawn =
      cells(line.substr(excerpt.begin, excerpt.end - excerpt.begin), unicode);
  const std::vector<int> columns = starts(drawn);
  const std::vector<ColumnRange> wanted = place(drawn, columns, ranges, excerpt);

  const std::string_view dots = unicode ? "…" : "...";
  const int dots_width = display_width(dots);
  const Window edges{.cut_left = excerpt.begin > 0, .cut_right = excerpt.end < line.size()};
  const ColumnRange focus = wanted.empty() ? ColumnRange{.from = 0, .to = 1} : wanted[0];
  const Window window = choose(columns.back(), focus, width, dots_width, edges);

  SourceLine result;
  result.text = cut(drawn, columns, window, dots);
  for (const ColumnRange& range : wanted) {
    result.ranges.push_back(shown(range, window, dots_width));
  }
  return result;
}

}  // namespace epwise::report
