#include "yaml/abridgement.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "yaml/simple_line.h"

namespace epwise::yaml {

namespace {

constexpr std::size_t kShortest = 5;  // words from here on are shortened; "null" is not

std::uint32_t offset(std::size_t place) {
  return static_cast<std::uint32_t>(place);
}

/// Writes the short text line by line. A line is final once the next one has turned out not to
/// continue it.
class Abridger {
 public:
  explicit Abridger(std::string_view text) { result_.source = text; }

  Abridgement run() {
    const std::string_view source = result_.source;
    std::size_t begin = 0;
    while (begin < source.size()) {
      const SimpleLine line = read_simple_line(source, begin);
      if (line.kind == SimpleLine::Kind::nothing) {
        begin = line.end;
        continue;
      }
      if (line.indent > deepest_) {
        break;
      }
      settle(begin);
      if (line.kind == SimpleLine::Kind::other) {
        break;
      }
      deepest_ = line.deepest_next;
      begin = write(line, begin);
    }
    roll_back();
    copy(settled_, source.size());
    return std::move(result_);
  }

 private:
  void settle(std::size_t place) {
    settled_ = place;
    settled_text_ = result_.text.size();
    settled_shifts_ = result_.shifts.size();
    settled_words_ = result_.words.size();
  }

  void roll_back() {
    result_.text.resize(settled_text_);
    result_.shifts.resize(settled_shifts_);
    result_.words.resize(settled_words_);
  }

  /// Writes the line that starts at `begin`; returns where the next one starts.
  std::size_t write(const SimpleLine& line, std::size_t begin) {
    std::size_t done = begin;
    for (const SimpleLine::Word& word : {line.key, line.value}) {
      if (word.end - word.begin >= kShortest) {
        copy(done, word.begin);
        result_.text += 'x';
        result_.words.push_back({offset(word.begin), offset(word.end)});
        done = word.end;
      }
    }
    if (line.kind == SimpleLine::Kind::block_text) {
      const std::size_t end = block_text_end(result_.source, line);
      copy(done, end);
      return end;
    }
    copy(done, line.content_end);
    result_.text += '\n';
    return line.end;
  }

  void copy(std::size_t begin, std::size_t end) {
    if (begin != result_.original(result_.text.size())) {
      result_.shifts.push_back({offset(result_.text.size()), offset(begin)});
    }
    result_.text += result_.source.substr(begin, end - begin);
  }

  Abridgement result_;
  std::size_t deepest_ = std::numeric_limits<std::size_t>::max();  // indent of the next line
  std::size_t settled_ = 0;
  std::size_t settled_text_ = 0;
  std::size_t settled_shifts_ = 0;
  std::size_t settled_words_ = 0;
};

}  // namespace

std::size_t Abridgement::original(std::size_t place) const {
  const auto next = std::upper_bound(
      shifts.begin(), shifts.end(), place, [](std::size_t wanted, const Shift& each) {
        return wanted < each.place;
      });
  if (next == shifts.begin()) {
    return place;
  }
  const Shift& shift = *std::prev(next);
  return shift.original + (place - shift.place);
}

std::string_view Abridgement::word(std::size_t original_place) const {
  const auto word = std::lower_bound(
      words.begin(), words.end(), original_place, [](const Word& each, std::size_t wanted) {
        return each.begin < wanted;
      });
  if (word == words.end() || word->begin != original_place) {
    return {};
  }
  return source.substr(word->begin, word->end - word->begin);
}

Abridgement abridge(std::string_view text) {
  Abridgement result = Abridger(text).run();
  // The tokeniser takes marks of an encoding for such where a text starts. What stood behind empty
  // lines must not become one.
  const bool starts_elsewhere = result.original(0) != 0;
  const bool may_be_mark =
      !result.text.empty() && static_cast<unsigned char>(result.text[0]) >= 0x80;
  if (starts_elsewhere && may_be_mark) {
    return verbatim(text);
  }
  return result;
}

Abridgement verbatim(std::string_view text) {
  return {text, std::string(text), {}, {}};
}

}  // namespace epwise::yaml
