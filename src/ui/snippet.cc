#include "ui/snippet.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ui/columns.h"
#include "ui/style.h"

namespace epwise::report {

/// A part of one line: bytes [from, to) of it.
struct ByteRange {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The same in terminal columns from 0, at least one column wide.
struct ColumnRange {
  int from = 0;
  int to = 0;
};

/// A line of the user's text as displayed.
struct SourceLine {
  std::string text;                 // at most `width` columns
  std::vector<ColumnRange> ranges;  // of `text`, one for each range asked for
};

/// Expands tabs, replaces unsafe characters, and clips a line that is too wide around its first
/// range, marking omissions with "…" ("..." without `unicode`). A range inside an omission becomes
/// one column at that end. Looks only at a bounded part of the line, so a file consisting of one
/// long line is no slower than others.
SourceLine draw_line(std::string_view line,
                     const std::vector<ByteRange>& ranges,
                     int width,
                     bool unicode);

/// One terminal line onto which pieces of text are placed at columns; later ones overwrite earlier
/// ones.
class Canvas {
 public:
  void put(int column, std::string_view text, Role role);
  void fill(int from, int to, char sign, Role role);

  bool covered(int from, int to) const;  // whether anything is there

  /// The line with its colours, without trailing blanks.
  std::string render(const Paint& paint) const;

 private:
  struct Spot {
    std::string glyph;  // empty: blank
    Role role = Role::plain;
    bool tail = false;  // right half of a wide character
  };

  Spot& at(int column);

  std::vector<Spot> spots_;
};

namespace {

// A terminal column takes at most four bytes and a few combining marks; a line is never wider than
// a terminal.
constexpr std::size_t kBytesPerColumn = 8;

bool continues(std::string_view line, std::size_t at) {
  return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
}

/// The visible bytes of the line: all of them, or enough around the first range.
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

/// Start columns of the cells, followed by the total width.
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
  int from = 0;  // columns of the unclipped excerpt
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

std::vector<ColumnRange> place_ranges(const std::vector<Cell>& drawn,
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

/// A range of the unclipped excerpt in the clipped line, whose dots are `dots` columns wide.
ColumnRange shown_range(ColumnRange range, const Window& window, int dots) {
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
    // A wide character cut by the left edge leaves a blank.
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
  const std::vector<ColumnRange> wanted = place_ranges(drawn, columns, ranges, excerpt);

  const std::string_view dots = unicode ? "…" : "...";
  const int dots_width = display_width(dots);
  const Window edges{.cut_left = excerpt.begin > 0, .cut_right = excerpt.end < line.size()};
  const ColumnRange focus = wanted.empty() ? ColumnRange{.from = 0, .to = 1} : wanted[0];
  const Window window = choose(columns.back(), focus, width, dots_width, edges);

  SourceLine result;
  result.text = cut(drawn, columns, window, dots);
  for (const ColumnRange& range : wanted) {
    result.ranges.push_back(shown_range(range, window, dots_width));
  }
  return result;
}

namespace {

constexpr int kUnderlinedLines = 6;  // only the first line of a longer mark is underlined

/// The part of one label on one line.
struct Piece {
  ByteRange bytes;
  std::string words;
  bool primary = false;
};

struct ShownLine {
  std::vector<Piece> pieces;
  bool goes_on = false;  // a mark covers more lines than are shown
};

using ShownLines = std::map<int, ShownLine>;  // by line number

Piece piece_of(const text::Mark& mark, int number) {
  const auto offset = static_cast<std::uint32_t>(mark.file->line_offset(number));
  const std::string_view line = mark.file->line(number);
  const auto size = static_cast<std::uint32_t>(line.size());
  Piece piece;
  piece.bytes.from = std::min(mark.begin > offset ? mark.begin - offset : 0, size);
  piece.bytes.to = std::min(mark.end > offset ? mark.end - offset : 0, size);
  if (mark.begin < offset) {
    piece.bytes.from = static_cast<std::uint32_t>(
        std::min<std::size_t>(line.find_first_not_of(" \t"), line.size()));
  }
  return piece;
}

bool is_blank(const text::Mark& mark, int number) {
  return mark.file->line(number).find_first_not_of(" \t") == std::string_view::npos;
}

/// First and last line of a mark with something to underline.
std::pair<int, int> line_range(const text::Mark& mark) {
  const int first = mark.start().line;
  int last = mark.end > mark.begin ? mark.file->position(mark.end - 1).line : first;
  while (last > first && is_blank(mark, last)) {
    --last;
  }
  return {first, last};
}

void add(ShownLines& lines, const SnippetLabel& label) {
  const auto [first, last] = line_range(label.mark);
  const bool whole = last - first < kUnderlinedLines;
  const int end = whole ? last : first;
  for (int number = first; number <= end; ++number) {
    if (number > first && is_blank(label.mark, number)) {
      continue;
    }
    Piece piece = piece_of(label.mark, number);
    piece.primary = label.primary;
    if (number == end) {
      piece.words = label.words;
    }
    lines[number].pieces.push_back(std::move(piece));
  }
  lines[end].goes_on = lines[end].goes_on || !whole;
}

class FileView {
 public:
  FileView(
      int gutter, lint::Severity severity, const Style& style, const Paint& paint, std::string& out)
      : gutter_(gutter),
        severity_(severity),
        style_(style),
        paint_(paint),
        out_(out) {}

  void draw(const text::SourceFile& file, const ShownLines& lines) {
    const Piece& first = first_piece(lines);
    const std::string_view arrow = first.primary ? "-->" : ":::";
    const int number = first_line(lines);
    const text::Position at = file.position(file.line_offset(number) + first.bytes.from);
    out_ += fmt::format("{}{} {}:{}:{}\n",
                        std::string(static_cast<std::size_t>(gutter_), ' '),
                        paint_(Role::frame, arrow),
                        printable(file.name(), style_.unicode),
                        at.line,
                        at.column);
    bar({});
    int before = 0;
    for (const auto& [line_number, line] : lines) {
      if (before != 0) {
        gap(file, before, line_number);
      }
      source(file, line_number, line);
      before = line.goes_on ? line_number + 1 : line_number;
      if (line.goes_on) {
        dots();
      }
    }
    bar({});
  }

 private:
  static int first_line(const ShownLines& lines) {
    for (const auto& [number, line] : lines) {
      for (const Piece& piece : line.pieces) {
        if (piece.primary) {
          return number;
        }
      }
    }
    return lines.begin()->first;
  }

  static const Piece& first_piece(const ShownLines& lines) {
    const std::vector<Piece>& pieces = lines.at(first_line(lines)).pieces;
    const auto primary = std::find_if(
        pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.primary; });
    return primary == pieces.end() ? pieces.front() : *primary;
  }

  int room() const { return std::max(style_.width - gutter_ - 3, 20); }

  void bar(std::string_view rest) {
    out_ += std::string(static_cast<std::size_t>(gutter_ + 1), ' ');
    out_ += paint_(Role::frame, "|");
    if (!rest.empty()) {
      out_ += ' ';
      out_ += rest;
    }
    out_ += '\n';
  }

  void dots() { out_ += paint_(Role::frame, "...") + '\n'; }

  void number_and_text(int number, std::string_view text) {
    out_ += paint_(Role::frame, fmt::format("{:>{}} |", number, gutter_));
    if (!text.empty()) {
      out_ += ' ';
      out_ += text;
    }
    out_ += '\n';
  }

  /// Between two shown lines: nothing, the one missing line, or dots.
  void gap(const text::SourceFile& file, int before, int next) {
    if (next == before + 2) {
      number_and_text(before + 1,
                      draw_line(file.line(before + 1), {}, room(), style_.unicode).text);
    } else if (next > before + 2) {
      dots();
    }
  }

  void source(const text::SourceFile& file, int number, const ShownLine& line) {
    std::vector<Piece> pieces = line.pieces;
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      return a.primary && !b.primary;
    });
    std::vector<ByteRange> ranges;
    ranges.reserve(pieces.size());
    for (const Piece& piece : pieces) {
      ranges.push_back(piece.bytes);
    }
    const SourceLine drawn = draw_line(file.line(number), ranges, room(), style_.unicode);
    number_and_text(number, drawn.text);
    annotate(pieces, drawn.ranges);
  }

  struct Note {
    ColumnRange at;
    std::string words;
    Role role = Role::plain;
    bool primary = false;
  };

  std::vector<Note> notes(const std::vector<Piece>& pieces,
                          const std::vector<ColumnRange>& ranges) const {
    std::vector<Note> result;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::string words = printable(pieces[i].words, style_.unicode);
      const auto same = std::find_if(result.begin(), result.end(), [&](const Note& note) {
        return note.at.from == ranges[i].from && note.at.to == ranges[i].to;
      });
      if (same != result.end()) {
        if (same->words.find(words) == std::string::npos) {
          same->words += (same->words.empty() ? "" : "; ") + words;
        }
        continue;
      }
      result.push_back({.at = ranges[i],
                        .words = words,
                        .role = pieces[i].primary ? role_of(severity_) : Role::secondary,
                        .primary = pieces[i].primary});
    }
    std::stable_sort(result.begin(), result.end(), [](const Note& a, const Note& b) {
      return a.at.from < b.at.from;
    });
    return result;
  }

  /// The row of carets and, below it, the labels that do not fit on it.
  void annotate(const std::vector<Piece>& pieces, const std::vector<ColumnRange>& ranges) {
    std::vector<Note> all = notes(pieces, ranges);
    Canvas carets;
    int end = 0;
    for (const bool primary : {false, true}) {
      for (const Note& note : all) {
        if (note.primary == primary) {
          carets.fill(note.at.from, note.at.to, primary ? '^' : '-', note.role);
          end = std::max(end, note.at.to);
        }
      }
    }
    Note& last = all.back();
    if (last.at.to == end && end + 1 + display_width(last.words) <= room()) {
      carets.put(end + 1, last.words, last.role);
      last.words.clear();
    }
    bar(carets.render(paint_));
    std::erase_if(all, [](const Note& note) { return note.words.empty(); });
    hang(all);
  }

  /// Labels below the carets, from right to left, each at the end of a line that hangs from its
  /// mark.
  void hang(std::vector<Note> waiting) {
    if (waiting.size() > 1) {
      bar(strings(waiting, waiting.size()).render(paint_));
    }
    while (!waiting.empty()) {
      const Note note = waiting.back();
      const int size = display_width(note.words);
      const int column = std::min(note.at.from, std::max(room() - size, room() / 3));
      for (const std::string& part : wrap(note.words, room() - column)) {
        Canvas row = strings(waiting, waiting.size() - 1);
        if (row.covered(column, column + display_width(part) + 1)) {
          row = Canvas();
        }
        row.put(column, part, note.role);
        bar(row.render(paint_));
      }
      waiting.pop_back();
    }
  }

  static Canvas strings(const std::vector<Note>& waiting, std::size_t count) {
    Canvas row;
    for (std::size_t i = 0; i < count; ++i) {
      row.put(waiting[i].at.from, "|", waiting[i].role);
    }
    return row;
  }

  int gutter_ = 1;
  lint::Severity severity_ = lint::Severity::error;
  const Style& style_;
  const Paint& paint_;
  std::string& out_;
};

}  // namespace

int gutter_width(const std::vector<SnippetLabel>& labels) {
  int largest = 1;
  for (const SnippetLabel& label : labels) {
    if (!label.mark.nowhere()) {
      const auto [first, last] = line_range(label.mark);
      largest = std::max(largest, last - first < kUnderlinedLines ? last : first);
    }
  }
  return static_cast<int>(fmt::formatted_size("{}", largest));
}

std::string render_snippet(const std::vector<SnippetLabel>& labels,
                           int gutter,
                           lint::Severity severity,
                           const Style& style,
                           const Paint& paint) {
  std::vector<std::pair<const text::SourceFile*, ShownLines>> files;
  const auto collect = [&](const SnippetLabel& label) {
    const text::SourceFile* const wanted = label.mark.file;
    auto place = std::find_if(
        files.begin(), files.end(), [&](const auto& entry) { return entry.first == wanted; });
    if (place == files.end()) {
      place = files.insert(files.end(), {wanted, ShownLines{}});
    }
    add(place->second, label);
  };
  for (const bool primary : {true, false}) {
    for (const SnippetLabel& label : labels) {
      if (label.primary == primary && !label.mark.nowhere()) {
        collect(label);
      }
    }
  }
  std::string out;
  FileView view(gutter, severity, style, paint, out);
  for (const auto& [file, lines] : files) {
    view.draw(*file, lines);
  }
  return out;
}

Canvas::Spot& Canvas::at(int column) {
  const auto index = static_cast<std::size_t>(column);
  if (index >= spots_.size()) {
    spots_.resize(index + 1);
  }
  return spots_[index];
}

void Canvas::put(int column, std::string_view text, Role role) {
  int next = column;
  int last = column;
  for (const Cell& cell : cells(text, true)) {
    if (cell.width == 0) {
      at(last).glyph += cell.glyph;
      continue;
    }
    last = next;
    at(next) = {.glyph = cell.glyph, .role = role, .tail = false};
    for (int i = 1; i < cell.width; ++i) {
      at(next + i) = {.glyph = {}, .role = role, .tail = true};
    }
    next += cell.width;
  }
}

void Canvas::fill(int from, int to, char sign, Role role) {
  for (int column = from; column < to; ++column) {
    at(column) = {.glyph = std::string(1, sign), .role = role, .tail = false};
  }
}

bool Canvas::covered(int from, int to) const {
  const auto size = static_cast<int>(spots_.size());
  for (int column = std::max(from, 0); column < std::min(to, size); ++column) {
    const Spot& spot = spots_[static_cast<std::size_t>(column)];
    if (spot.tail || !spot.glyph.empty()) {
      return true;
    }
  }
  return false;
}

std::string Canvas::render(const Paint& paint) const {
  std::string line;
  std::string run;
  Role role = Role::plain;
  std::string blanks;
  for (const Spot& spot : spots_) {
    if (spot.tail) {
      continue;
    }
    if (spot.glyph.empty()) {
      blanks += ' ';
      continue;
    }
    if (spot.role != role || run.empty()) {
      line += paint(role, run);
      line += blanks;
      run.clear();
      role = spot.role;
    } else {
      run += blanks;
    }
    blanks.clear();
    run += spot.glyph;
  }
  return line + paint(role, run);
}

}  // namespace epwise::report
