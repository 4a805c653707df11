#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace epwise::cli {

/// A stream buffer for messages about the run. Messages repeat text from files and file names, which
/// may contain anything. Control characters, direction marks and bytes that are not UTF-8 become a
/// visible sign, so that no name moves the cursor or reverses a line; a line break stays, but CI
/// systems execute lines of a log that start with `::` or `##[`, and such a line gets `> ` in front
/// of it:
///   "unknown profile `x\n::stop-commands::t`" → "unknown profile `x\n> ::stop-commands::t`"
/// The sequence by which progress clears its line passes. Not thread-safe, like the stream around
/// it.
class MessageBuffer : public std::streambuf {
 public:
  /// `below` must outlive this. `unicode`: the visible sign is U+FFFD, otherwise `?`.
  explicit MessageBuffer(std::streambuf* below, bool unicode = true)
      : below_(below),
        unicode_(unicode) {}

  MessageBuffer(const MessageBuffer&) = delete;
  MessageBuffer& operator=(const MessageBuffer&) = delete;
  ~MessageBuffer() override;

 protected:
  int_type overflow(int_type letter) override;
  int sync() override;

 private:
  bool put(char letter);
  bool put_all(std::string_view text);
  bool put_visible(bool complete);
  bool pass(const std::string& text);

  std::streambuf* below_;
  bool unicode_;
  std::string character_;  // bytes that do not make a character yet
  bool at_start_ = true;   // nothing but blanks since the last line break
  std::string held_;       // the start of a line that may become a command
};

}  // namespace epwise::cli
