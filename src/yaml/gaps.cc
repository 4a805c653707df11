#include "yaml/gaps.h"

#include <algorithm>

#include "yaml/raw.h"

namespace epwise::yaml {

namespace {

constexpr std::size_t kMostTabs = 10'000;  // of a file that is indented with tabs

}  // namespace

std::size_t Gaps::next() const {
  return raw::skip_layout(text_, cursor_);
}

bool Gaps::take(char indicator, std::size_t limit) {
  const std::size_t place = next();
  if (place >= limit || place >= text_.size() || text_[place] != indicator) {
    return false;
  }
  skip_to(place + 1);
  return true;
}

void Gaps::reach(std::size_t place, std::string_view message, std::string_view help) {
  const std::size_t found = next();
  if (found < place) {
    flaw(found, message, help);
  }
  skip_to(place);
}

void Gaps::pass(std::size_t end, bool plain) {
  if (plain) {
    skip_to(end);
  } else {
    cursor_ = std::max(cursor_, std::min(end, text_.size()));
  }
}

void Gaps::flaw(std::size_t place, std::string_view message, std::string_view help) {
  if (flawed_) {
    return;
  }
  flawed_ = true;
  const auto begin = static_cast<std::uint32_t>(std::min(place, text_.size()));
  const auto end = static_cast<std::uint32_t>(std::min(place + 1, text_.size()));
  flaws_.push_back({begin, end, "yaml/syntax", message, help});
}

std::size_t Gaps::line_start(std::size_t place) {
  std::size_t start = std::min(place, text_.size());
  const std::size_t known = place >= asked_place_ ? asked_place_ : 0;
  while (start > known && !raw::is_break(text_[start - 1])) {
    --start;
  }
  asked_start_ = start > known || known == 0 ? start : asked_start_;
  asked_place_ = std::max(place, known);
  return asked_start_;
}

void Gaps::skip_to(std::size_t place) {
  if (place > cursor_) {
    note_tabs(cursor_, place);
    cursor_ = std::min(place, text_.size());
  }
}

void Gaps::note_tabs(std::size_t begin, std::size_t end) {
  bool comment = false;
  for (std::size_t i = begin; i < end && i < text_.size(); ++i) {
    if (raw::is_break(text_[i])) {
      comment = false;
    } else if (text_[i] == '#' && (i == begin || raw::is_space(text_[i - 1]))) {
      comment = true;
    } else if (text_[i] == '\t' && !comment && i >= tab_line_ && flaws_.size() < kMostTabs) {
      tab_line_ = std::min(text_.find_first_of("\r\n", i), text_.size());
      const auto place = static_cast<std::uint32_t>(i);
      flaws_.push_back({place,
                        place + 1,
                        "yaml/tab",
                        "a tab stands where YAML takes blanks only",
                        "replace it by blanks, or quote the text that it belongs to"});
    }
  }
}

}  // namespace epwise::yaml
