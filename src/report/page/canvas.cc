#include "report/page/canvas.h"

#include <algorithm>

#include "report/columns.h"

namespace epwise::report {

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
