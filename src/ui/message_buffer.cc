#include "ui/message_buffer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text/ascii.h"
#include "ui/columns.h"

namespace epwise::cli {

namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

bool may_become_command(std::string_view start) {
  return std::ranges::any_of(text::kLogCommands,
                             [&](std::string_view command) { return command.starts_with(start); });
}

/// Bytes of the UTF-8 character that begins like this; 1 for a byte that begins none.
std::size_t bytes_of(char first) {
  const auto lead = static_cast<unsigned char>(first);
  if (lead < 0xC2 || lead > 0xF4) {
    return 1;
  }
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace

MessageBuffer::~MessageBuffer() {
  MessageBuffer::sync();
}

bool MessageBuffer::pass(const std::string& text) {
  return below_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
         static_cast<std::streamsize>(text.size());
}

bool MessageBuffer::put(char letter) {
  if (at_start_) {
    held_ += letter;
    if (text::is_log_command(held_)) {
      at_start_ = false;
      const std::string line = "> " + std::exchange(held_, {});
      return pass(line);
    }
    if (may_become_command(held_)) {
      return true;
    }
    const bool blank = held_ == " " || held_ == "\t";
    at_start_ = blank || letter == '\n' || letter == '\r';
    return pass(std::exchange(held_, {}));
  }
  at_start_ = letter == '\n' || letter == '\r';
  return pass({letter});
}

bool MessageBuffer::put_all(std::string_view text) {
  return std::ranges::all_of(text, [this](char letter) { return put(letter); });
}

/// Passes on what makes whole characters; everything if it is `complete`.
bool MessageBuffer::put_visible(bool complete) {
  bool passed = true;
  while (passed && !character_.empty()) {
    if (kClearLine.starts_with(character_)) {
      if (character_.size() < kClearLine.size() && !complete) {
        return true;
      }
      if (character_.size() == kClearLine.size()) {
        at_start_ = true;
        return pass(std::exchange(character_, {}));
      }
    }
    const std::size_t wanted = bytes_of(character_.front());
    if (character_.size() < wanted && !complete) {
      return true;
    }
    // a byte that belongs to no character is decoded alone
    const auto cells = report::cells(std::string_view(character_).substr(0, wanted), unicode_);
    const std::size_t used =
        cells.size() > 1 ? cells[1].offset : std::min(wanted, character_.size());
    const char first = character_.front();
    passed = first == '\n' || first == '\t' ? put(first) : put_all(cells.front().glyph);
    character_.erase(0, used);
  }
  return passed;
}

MessageBuffer::int_type MessageBuffer::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) {
    return traits_type::not_eof(letter);
  }
  character_ += traits_type::to_char_type(letter);
  return put_visible(false) ? letter : traits_type::eof();
}

int MessageBuffer::sync() {
  put_visible(true);
  if (!held_.empty()) {
    at_start_ = false;
    pass(std::exchange(held_, {}));
  }
  return below_->pubsync();
}

}  // namespace epwise::cli
