#include "base/text/source_file.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace epwise::text {

namespace {

constexpr std::size_t kIndexBlock = 4096;  // bytes between two entries of the character index

unsigned char byte_at(std::string_view bytes, std::size_t offset) {
  return static_cast<unsigned char>(bytes[offset]);
}

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80U;
}

/// How many bytes a lead byte announces; 0 for bytes that start no character.
std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2) {
    return 0;
  }
  if (lead < 0xE0) {
    return 2;
  }
  if (lead < 0xF0) {
    return 3;
  }
  return lead < 0xF5 ? 4 : 0;
}

/// The second byte decides about overlong forms, surrogates and numbers past U+10FFFF.
bool is_second_byte_legal(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second < 0xA0;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second < 0x90;
    default:
      return true;
  }
}

/// Length of the character that starts at `offset`; 0 if the bytes there are not valid UTF-8.
std::size_t character_length(std::string_view bytes, std::size_t offset) {
  const unsigned char lead = byte_at(bytes, offset);
  const std::size_t length = announced_length(lead);
  if (length <= 1) {
    return length;
  }
  if (length > bytes.size() - offset) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(byte_at(bytes, offset + i))) {
      return 0;
    }
  }
  return is_second_byte_legal(lead, byte_at(bytes, offset + 1)) ? length : 0;
}

/// Whether a character, or an invalid byte that counts as one, starts here. Lead bytes never occur
/// inside a character, so three bytes of context suffice.
bool starts_character(std::string_view bytes, std::size_t offset) {
  if (!is_continuation(byte_at(bytes, offset))) {
    return true;
  }
  for (std::size_t back = 1; back <= 3 && back <= offset; ++back) {
    if (!is_continuation(byte_at(bytes, offset - back))) {
      return character_length(bytes, offset - back) <= back;
    }
  }
  return true;
}

std::uint32_t count_starts(std::string_view bytes, std::size_t begin, std::size_t end) {
  std::uint32_t count = 0;
  for (std::size_t offset = begin; offset < end; ++offset) {
    count += starts_character(bytes, offset) ? 1U : 0U;
  }
  return count;
}

std::vector<std::uint32_t> index_lines(std::string_view bytes) {
  std::vector<std::uint32_t> begins = {0};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool cr_of_crlf = bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n';
    if ((bytes[i] == '\n' || bytes[i] == '\r') && !cr_of_crlf) {
      begins.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  return begins;
}

std::vector<std::uint32_t> index_characters(std::string_view bytes) {
  std::vector<std::uint32_t> before = {0};
  for (std::size_t begin = 0; bytes.size() - begin > kIndexBlock; begin += kIndexBlock) {
    before.push_back(before.back() + count_starts(bytes, begin, begin + kIndexBlock));
  }
  return before;
}

}  // namespace

SourceFile::SourceFile(std::string name, std::string bytes, ByteOrderMark byte_order_mark)
    : name_(std::move(name)),
      bytes_(std::move(bytes)) {
  if (bytes_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("source texts are limited to 4 GiB");
  }
  const bool skips = byte_order_mark == ByteOrderMark::skipped;
  bom_ = skips && bytes_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  line_begin_ = index_lines(this->bytes());
  characters_before_ = index_characters(this->bytes());
}

std::string_view SourceFile::line(int number) const {
  if (number < 1 || number > line_count()) {
    return {};
  }
  const std::size_t begin = line_offset(number);
  auto content = bytes().substr(begin, line_offset(number + 1) - begin);
  if (content.ends_with('\n')) {
    content.remove_suffix(1);
  }
  if (content.ends_with('\r')) {
    content.remove_suffix(1);
  }
  return content;
}

std::size_t SourceFile::line_offset(int number) const {
  if (number < 1 || number > line_count()) {
    return bytes().size();
  }
  return line_begin_[static_cast<std::size_t>(number) - 1];
}

Position SourceFile::position(std::size_t offset) const {
  offset = std::min(offset, bytes().size());
  while (offset > 0 && offset < bytes().size() && !starts_character(bytes(), offset)) {
    --offset;
  }
  const auto next = std::upper_bound(line_begin_.begin(), line_begin_.end(), offset);
  const auto column = characters_until(offset) - characters_until(*std::prev(next)) + 1;
  return {.line = static_cast<int>(next - line_begin_.begin()), .column = static_cast<int>(column)};
}

std::uint32_t SourceFile::characters_until(std::size_t offset) const {
  const std::size_t block = std::min(offset / kIndexBlock, characters_before_.size() - 1);
  return characters_before_[block] + count_starts(bytes(), block * kIndexBlock, offset);
}

std::size_t SourceFile::first_invalid_utf8() const {
  const auto content = bytes();
  std::size_t offset = 0;
  while (offset < content.size()) {
    const std::size_t length = character_length(content, offset);
    if (length == 0) {
      return offset;
    }
    offset += length;
  }
  return npos;
}

}  // namespace epwise::text
