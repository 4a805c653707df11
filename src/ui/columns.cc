#include "ui/columns.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/text/ascii.h"

namespace epwise::report {
namespace {

constexpr char32_t kInvalid = 0xFFFD;
constexpr int kTabWidth = 4;

struct Range {
  char32_t first = 0;
  char32_t last = 0;
};

// Characters displayed two columns wide (Unicode's East Asian Width W and F), neighbours merged
// over unassigned code points.
constexpr auto kWide = std::to_array<Range>({
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x3029},
    {0x302E, 0x303E},   {0x3041, 0x3096},   {0x309B, 0xA4C6},   {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAD9},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},
    {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FB}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F4FC}, {0x1F4FF, 0x1F64F}, {0x1F680, 0x1F6FC}, {0x1F7E0, 0x1F9FF},
    {0x1FA70, 0x1FAF6}, {0x20000, 0x3FFFD},
});

constexpr auto kCombining = std::to_array<Range>({
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0670, 0x0670}, {0x06D6, 0x06DC}, {0x0900, 0x0902},   {0x093C, 0x093C}, {0x0941, 0x0948},
    {0x094D, 0x094D}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200C, 0x200D}, {0x20D0, 0x20F0},   {0x302A, 0x302D}, {0x3099, 0x309A},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
});

// Invisible characters that hide or reorder text.
constexpr auto kDeceptive = std::to_array<Range>({
    {0x061C, 0x061C},
    {0x200B, 0x200B},
    {0x200E, 0x200F},
    {0x2028, 0x202E},
    {0x2060, 0x206F},
    {0xFEFF, 0xFEFF},
    {0xFFF9, 0xFFFB},
});

template <std::size_t N>
bool holds(const std::array<Range, N>& table, char32_t code) {
  const auto after = std::upper_bound(
      table.begin(), table.end(), code, [](char32_t c, const Range& r) { return c < r.first; });
  return after != table.begin() && code <= std::prev(after)->last;
}

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

struct Decoded {
  char32_t code = kInvalid;
  std::size_t bytes = 1;
  bool valid = false;
};

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

Decoded decode(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) {
    return {.code = lead, .bytes = 1, .valid = true};
  }
  std::size_t length = 0;
  char32_t code = 0;
  char32_t least = 0;
  if (lead >= 0xC2 && lead < 0xE0) {
    length = 2;
    code = lead & 0x1FU;
    least = 0x80;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3;
    code = lead & 0x0FU;
    least = 0x800;
  } else if (lead >= 0xF0 && lead < 0xF5) {
    length = 4;
    code = lead & 0x07U;
    least = 0x10000;
  }
  if (length == 0 || at + length > text.size()) {
    return {};
  }
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0U) != 0x80U) {
      return {};
    }
    code = (code << 6U) | (next & 0x3FU);
  }
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return {};
  }
  return {.code = code, .bytes = length, .valid = true};
}

int width_of(char32_t code) {
  if (code < 0x300) {
    return 1;
  }
  if (holds(kCombining, code)) {
    return 0;
  }
  return holds(kWide, code) ? 2 : 1;
}

std::string_view stand_in(bool unicode) {
  return unicode ? "\uFFFD" : "?";
}

std::string_view ascii_sign(char32_t code) {
  switch (code) {
    case 0x00A0:
      return " ";
    case 0x00B1:
      return "+-";
    case 0x00B5:
    case 0x03BC:
      return "u";
    case 0x00B7:
      return "*";
    case 0x00D7:
      return "x";
    case 0x2013:
    case 0x2014:
    case 0x2212:
      return "-";
    case 0x2018:
    case 0x2019:
      return "'";
    case 0x201C:
    case 0x201D:
      return "\"";
    case 0x2026:
      return "...";
    case 0x2190:
      return "<-";
    case 0x2192:
      return "->";
    case 0x2260:
      return "!=";
    case 0x2264:
      return "<=";
    case 0x2265:
      return ">=";
    default:
      return {};
  }
}

}  // namespace

std::vector<Cell> cells(std::string_view text, bool unicode) {
  std::vector<Cell> result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    Cell cell;
    cell.offset = static_cast<std::uint32_t>(at);
    if (next.valid && next.code == '\t') {
      cell.glyph.assign(kTabWidth, ' ');
      cell.width = kTabWidth;
    } else if (!next.valid || is_control(next.code) || holds(kDeceptive, next.code)) {
      cell.glyph = stand_in(unicode);
    } else {
      cell.glyph = text.substr(at, next.bytes);
      cell.width = width_of(next.code);
    }
    result.push_back(std::move(cell));
    at += next.bytes;
  }
  return result;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    width += width_of(next.code);
    at += next.bytes;
  }
  return width;
}

std::string printable(std::string_view text, bool unicode) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    const std::string_view sign = unicode ? std::string_view() : ascii_sign(next.code);
    if (next.valid && (next.code == '\n' || next.code == '\r' || next.code == '\t')) {
      result += ' ';
    } else if (!next.valid || is_control(next.code) || holds(kDeceptive, next.code)) {
      result += stand_in(unicode);
    } else if (!sign.empty()) {
      result += sign;
    } else {
      result += text.substr(at, next.bytes);
    }
    at += next.bytes;
  }
  return result;
}

std::vector<std::string> wrap(std::string_view text, int width, int indent) {
  std::vector<std::string> lines(1);
  int used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) {
      break;
    }
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const int size = display_width(word);
    const bool fits = used + 1 + size <= (lines.size() == 1 ? width : width - indent);
    if (used > 0 && !fits && !text::is_log_command(word)) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) {
      lines.back() += ' ';
      ++used;
    }
    lines.back() += word;
    used += size;
    at = end;
  }
  return lines;
}

}  // namespace epwise::report
