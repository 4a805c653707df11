#include "ui/message_buffer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace epwise::cli {

namespace {

constexpr std::array<std::string_view, 2> kCommands = {"::", "##["};

bool may_become_command(std::string_view start) {
  return std::ranges::any_of(kCommands,
                             [&](std::string_view command) { return command.starts_with(start); });
}

bool is_command(std::string_view start) {
  return std::ranges::find(kCommands, start) != kCommands.end();
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
    if (is_command(held_)) {
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

MessageBuffer::int_type MessageBuffer::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) {
    return traits_type::not_eof(letter);
  }
  return put(traits_type::to_char_type(letter)) ? letter : traits_type::eof();
}

int MessageBuffer::sync() {
  if (!held_.empty()) {
    at_start_ = false;
    pass(std::exchange(held_, {}));
  }
  return below_->pubsync();
}

}  // namespace epwise::cli
