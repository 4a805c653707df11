#include "report/snippet.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "report/columns.h"
#include "report/page/canvas.h"
#include "report/source_line.h"

namespace epwise::report {
namespace {

constexpr int kUnderlinedLines = 6;  // a longer mark is underlined in its first line only

/// The part of one label that lies in one line.
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

/// First and last line of a mark that have something in them to underline.
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

  /// Between two shown lines: nothing, the one line that is missing, or dots.
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

  /// The row of carets and, below it, the words of those labels that have no room in it.
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

  /// Words below the carets, from right to left, each at the end of a line that hangs from its
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

}  // namespace epwise::report
