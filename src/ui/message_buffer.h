#pragma once

#include <streambuf>
#include <string>

namespace epwise::cli {

/// A stream buffer for messages about the run. Messages repeat text from files and file names, which
/// may contain line breaks; CI systems execute lines of a log that start with `::` or `##[`. Such a
/// line gets `> ` in front of it:
///   "unknown profile `x\n::stop-commands::t`" → "unknown profile `x\n> ::stop-commands::t`"
/// Everything else passes through unchanged. Not thread-safe, like the stream around it.
class MessageBuffer : public std::streambuf {
 public:
  /// `below` must outlive this.
  explicit MessageBuffer(std::streambuf* below) : below_(below) {}

  MessageBuffer(const MessageBuffer&) = delete;
  MessageBuffer& operator=(const MessageBuffer&) = delete;
  ~MessageBuffer() override;

 protected:
  int_type overflow(int_type letter) override;
  int sync() override;

 private:
  bool put(char letter);
  bool pass(const std::string& text);

  std::streambuf* below_;
  bool at_start_ = true;  // nothing but blanks since the last line break
  std::string held_;      // the start of a line that may become a command
};

}  // namespace epwise::cli
