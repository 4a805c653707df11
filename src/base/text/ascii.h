#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

/// Letters and words of ASCII, the same in every locale: no byte above 127 is a letter here.
///   trimmed("  8 \t", kBlanks) → "8"
///   lower("H100-SXM") → "h100-sxm"
///   is_one_of("yes", {"yes", "true", "on"}) → true
namespace epwise::text {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kBlanksAndReturns = " \t\r";  // of a line whose feed is cut off
constexpr std::string_view kWhitespace = " \t\r\n";      // as YAML and shells see it
constexpr std::string_view kPythonWhitespace = " \t\n\r\f\v\x1c\x1d\x1e\x1f";  // of `str.strip()`

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_letter_or_digit(char c) {
  return is_letter(c) || is_digit(c);
}

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

constexpr bool is_whitespace(char c) {
  return kWhitespace.find(c) != std::string_view::npos;
}

constexpr char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr char upper_letter(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string lower(std::string_view word);
std::string upper(std::string_view word);

/// Without the `letters` at its start, at its end, at both.
std::string_view trimmed_start(std::string_view word, std::string_view letters);
std::string_view trimmed_end(std::string_view word, std::string_view letters);
std::string_view trimmed(std::string_view word, std::string_view letters);

/// CI systems execute lines of a log that start like these, also behind blanks.
constexpr std::array<std::string_view, 2> kLogCommands = {"::", "##["};

constexpr bool is_log_command(std::string_view start) {
  return start.starts_with(kLogCommands[0]) || start.starts_with(kLogCommands[1]);
}

/// The same file under a name that is not a command where it starts a line of a log.
///   path_for_logs("::error.yaml") → "./::error.yaml"
inline std::string path_for_logs(const std::string& path) {
  return is_log_command(path) ? "./" + path : path;
}

template <class Words>
constexpr bool is_one_of(std::string_view word, const Words& words) {
  for (const std::string_view each : words) {
    if (each == word) {
      return true;
    }
  }
  return false;
}

constexpr bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return is_one_of<std::initializer_list<std::string_view>>(word, words);
}

}  // namespace epwise::text
