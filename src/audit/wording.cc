#include "audit/wording.h"

#include <algorithm>
#include <cctype>

namespace epwise::audit {

std::string plain_wording(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isspace(letter) == 0) {
      plain += static_cast<char>(std::tolower(letter));
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  if (plain.ends_with(' ')) {
    plain.pop_back();
  }
  return plain;
}

std::size_t wording_in(std::string_view plain, std::string_view fragment) {
  constexpr std::string_view kGap = "...";
  std::size_t length = 0;
  while (!fragment.empty()) {
    const auto gap = std::min(fragment.find(kGap), fragment.size());
    const auto piece = plain_wording(fragment.substr(0, gap));
    const auto at = plain.find(piece);
    if (at == std::string_view::npos) {
      return 0;
    }
    plain.remove_prefix(at + piece.size());
    fragment.remove_prefix(std::min(gap + kGap.size(), fragment.size()));
    length += piece.size();
  }
  return length;
}

}  // namespace epwise::audit
