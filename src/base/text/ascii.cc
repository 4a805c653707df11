#include "base/text/ascii.h"

#include <algorithm>

namespace epwise::text {

std::string lower(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(), lower_letter);
  return result;
}

std::string upper(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(), upper_letter);
  return result;
}

std::string_view trimmed_start(std::string_view word, std::string_view letters) {
  word.remove_prefix(std::min(word.find_first_not_of(letters), word.size()));
  return word;
}

std::string_view trimmed_end(std::string_view word, std::string_view letters) {
  return word.substr(0, word.find_last_not_of(letters) + 1);
}

std::string_view trimmed(std::string_view word, std::string_view letters) {
  return trimmed_end(trimmed_start(word, letters), letters);
}

}  // namespace epwise::text
