#include "calibrate/import/log_line.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace epwise::calibrate {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) {
      return words;
    }
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char sign) {
    return std::isdigit(static_cast<unsigned char>(sign)) != 0 || sign == '.';
  });
}

std::string number_behind(std::string_view line, std::string_view key) {
  const std::size_t place = line.find(key);
  if (place == std::string_view::npos) {
    return {};
  }
  std::string_view rest = line.substr(place + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  const std::size_t end = std::min(rest.find_first_not_of("0123456789."), rest.size());
  return std::string(rest.substr(0, end));
}

std::string number_before(std::string_view line, std::string_view unit) {
  const std::size_t place = line.find(unit);
  if (place == std::string_view::npos) {
    return {};
  }
  const std::size_t begin = line.find_last_not_of("0123456789.", place == 0 ? 0 : place - 1);
  const std::size_t from = begin == std::string_view::npos ? 0 : begin + 1;
  return std::string(line.substr(from, place - from));
}

text::Diagnostic log_trouble(const text::SourceFile& file, std::string message, std::string help) {
  return {"config/invalid", {&file, 0, 0}, std::move(message), {}, std::move(help)};
}

}  // namespace epwise::calibrate
