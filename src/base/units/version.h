#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::units {

/// A release number ordered as in Python's packaging (PEP 440): epoch, release, pre-, post-,
/// development and local parts; "2.6.0a0+ecf3bae" < "2.6.0" < "2.6.0.post1" < "2.6.1". The word
/// `head` is newer than every number.
class Version {
 public:
  /// nullopt if the text is not a version: Version::parse("main") → nullopt,
  /// Version::parse("2.9.0a0") → a version.
  static std::optional<Version> parse(std::string_view text);

  const std::string& text() const { return text_; }

  bool is_head() const { return head_; }

  std::strong_ordering operator<=>(const Version& other) const;

  bool operator==(const Version& other) const { return std::is_eq(*this <=> other); }

 private:
  std::string text_;
  bool head_ = false;
  std::vector<long long> key_;      // comparable form of everything except the local part
  std::vector<std::string> local_;  // "+cu129.1" → {"cu129", "1"}
};

}  // namespace epwise::units
