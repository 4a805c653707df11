#include "expr/layout_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "expr/arithmetic.h"
#include "expr/python_text.h"

namespace epwise::expr {

namespace {

constexpr std::size_t kMaxLetters = 65536;
constexpr std::string_view kLetters = "EtmL";

struct Layer {
  std::string_view name;
  char letter;
};

constexpr std::array<Layer, 5> kLayers = {
    {{"embedding", 'E'}, {"decoder", 't'}, {"mtp", 'm'}, {"loss", 'L'}, {"encoder", 'e'}}};

// The repetition at `at`: "*3" → 3 and the position after it.
struct Repetition {
  std::size_t times = 0;
  std::size_t end = 0;
};

std::optional<Repetition> repetition_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '*') {
    return std::nullopt;
  }
  Repetition result;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + at + 1, end, result.times);
  if (read.ptr == text.data() + at + 1) {
    return std::nullopt;
  }
  if (read.ec != std::errc()) {
    result.times = kMaxLetters + 1;
  }
  result.end = static_cast<std::size_t>(read.ptr - text.data());
  return result;
}

// The result of one unrolling step at a position: the unit to repeat, and the position after the
// count.
struct LayoutUnit {
  std::string_view letters;
  Repetition repetition;
};

// "(ab|)*3". A bracket extends to the first closing one, so brackets do not nest, and it must not
// be empty.
std::optional<LayoutUnit> group_at(std::string_view text, std::size_t at) {
  if (text[at] != '(') {
    return std::nullopt;
  }
  const std::size_t close = text.find(')', at);
  if (close == std::string_view::npos || close == at + 1) {
    return std::nullopt;
  }
  const auto repetition = repetition_at(text, close + 1);
  return repetition ? std::optional(LayoutUnit{text.substr(at + 1, close - at - 1), *repetition})
                    : std::nullopt;
}

// "t*3".
std::optional<LayoutUnit> letter_at(std::string_view text, std::size_t at) {
  const auto repetition = repetition_at(text, at + 1);
  return repetition && text[at] != '\n' ? std::optional(LayoutUnit{text.substr(at, 1), *repetition})
                                        : std::nullopt;
}

// One pass from left to right, as upstream makes: the result of a repetition is not processed
// again. nullopt: too long.
std::optional<std::string> unrolled(std::string_view text,
                                    std::optional<LayoutUnit> (*unit_at)(std::string_view,
                                                                         std::size_t)) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<LayoutUnit> unit = unit_at(text, at);
    if (!unit) {
      result += text[at++];
      continue;
    }
    if (unit->repetition.times > kMaxLetters / unit->letters.size()) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < unit->repetition.times; ++i) {
      result += unit->letters;
    }
    if (result.size() > kMaxLetters) {
      return std::nullopt;
    }
    at = unit->repetition.end;
  }
  return result;
}

std::string problem_of(std::string_view letters) {
  for (const char c : letters) {
    if (c != '|' && kLetters.find(c) == std::string_view::npos) {
      return fmt::format("`{}` is not a layer letter", c);
    }
  }
  return {};
}

std::optional<char> letter_of(const Value& layer) {
  if (layer.text() == nullptr) {
    return std::nullopt;
  }
  std::string name(stripped(*layer.text()));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const Layer& known : kLayers) {
    if (known.name == name) {
      return known.letter;
    }
  }
  return std::nullopt;
}

Layout read_list(const Value::List& list) {
  Layout layout;
  for (const Value& stage : list) {
    std::string letters;
    if (stage.list() == nullptr) {
      layout.problem = "every stage of a layout must be a list";
      return layout;
    }
    for (const Value& layer : *stage.list()) {
      const std::optional<char> letter = letter_of(layer);
      if (!letter && layout.problem.empty()) {
        layout.problem = fmt::format("`{}` is not a layer type", layer.to_text());
      }
      letters += letter.value_or('?');
    }
    layout.stages.push_back(std::move(letters));
  }
  return layout;
}

}  // namespace

Layout read_layout(std::string_view text) {
  std::string plain(text);
  plain.erase(std::remove(plain.begin(), plain.end(), ','), plain.end());
  std::optional<std::string> letters = unrolled(plain, group_at);
  if (letters) {
    letters = unrolled(*letters, letter_at);
  }
  if (!letters) {
    return {{}, fmt::format("the layout has more than {} layers", kMaxLetters)};
  }
  Layout layout{{}, problem_of(*letters)};
  std::size_t begin = 0;
  for (std::size_t bar = letters->find('|'); bar != std::string::npos;
       bar = letters->find('|', begin)) {
    layout.stages.push_back(letters->substr(begin, bar - begin));
    begin = bar + 1;
  }
  layout.stages.push_back(letters->substr(begin));
  return layout;
}

std::optional<Layout> read_layout(const Value& value) {
  if (value.text() != nullptr) {
    return read_layout(std::string_view(*value.text()));
  }
  if (value.list() != nullptr) {
    return read_list(*value.list());
  }
  return std::nullopt;
}

namespace {

/// "tttmm" → "t*3mm": only decoders come in numbers.
std::string layers_text(std::string_view stage) {
  std::string text;
  for (std::size_t i = 0; i < stage.size();) {
    const std::size_t end = std::min(stage.find_first_not_of('t', i), stage.size());
    text += end > i + 1 ? fmt::format("t*{}", end - i) : std::string(1, stage[i]);
    i = std::max(end, i + 1);
  }
  return text;
}

}  // namespace

std::string layout_text(const std::vector<std::string>& stages) {
  std::string text;
  for (std::size_t i = 0; i + 1 < stages.size();) {
    std::size_t same = i + 1;
    while (same + 1 < stages.size() && stages[same] == stages[i]) {
      ++same;
    }
    const std::string one = layers_text(stages[i]) + "|";
    text += same - i == 1 ? one : fmt::format("({})*{}", one, same - i);
    i = same;
  }
  return text + (stages.empty() ? std::string() : layers_text(stages.back()));
}

namespace {

constexpr std::size_t kMaxListLength = 4096;
constexpr int kMaxDepth = 64;

class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  std::optional<Value> run() {
    std::optional<Value> value = sum();
    return at_ == text_.size() ? std::move(value) : std::nullopt;
  }

 private:
  bool take(char c) {
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }

  // Integers stay integers and lists stay short: nothing else occurs in a recipe.
  static std::optional<Value> accepted(Value value) {
    const bool fits = value.list() != nullptr || value.integer() != nullptr;
    return fits ? std::optional(std::move(value)) : std::nullopt;
  }

  std::optional<Value> sum() {
    std::optional<Value> left = product();
    while (left && take('+')) {
      const std::optional<Value> right = product();
      left = right ? accepted(add(*left, *right)) : std::nullopt;
    }
    return left;
  }

  std::optional<Value> product() {
    std::optional<Value> left = operand();
    while (left && take('*')) {
      const std::optional<Value> right = operand();
      left = right ? accepted(multiply(*left, *right)) : std::nullopt;
    }
    return left;
  }

  std::optional<Value> operand() {
    bool plus = false;
    while (take('+')) {
      plus = true;
    }
    std::optional<Value> value = atom();
    const bool list = value && value->list() != nullptr;
    return plus && list ? std::nullopt : std::move(value);
  }

  std::optional<Value> atom() {
    if (take('[')) {
      return bracketed(&ListReader::items);
    }
    if (take('(')) {
      return bracketed(&ListReader::inner);
    }
    return integer();
  }

  std::optional<Value> bracketed(std::optional<Value> (ListReader::*content)()) {
    if (depth_ == kMaxDepth) {
      return std::nullopt;
    }
    ++depth_;
    std::optional<Value> value = (this->*content)();
    --depth_;
    return value;
  }

  std::optional<Value> inner() {
    std::optional<Value> value = sum();
    return take(')') ? std::move(value) : std::nullopt;
  }

  std::optional<Value> items() {
    Value::List list;
    while (!take(']')) {
      std::optional<Value> item = sum();
      const bool more = item && (take(',') || (at_ < text_.size() && text_[at_] == ']'));
      if (!more || !within_budget(*item)) {
        return std::nullopt;
      }
      list.push_back(std::move(*item));
    }
    return Value::of(std::move(list));
  }

  // A list of long lists would grow beyond what a single `*` may build.
  bool within_budget(const Value& item) {
    extent_ += extent(item);
    return extent_ <= kMaxExtent;
  }

  std::optional<Value> integer() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      ++at_;
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    const bool leading_zero = digits.size() > 1 && digits.front() == '0';
    if (leading_zero && digits.find_first_not_of('0') != std::string_view::npos) {
      return std::nullopt;
    }
    const std::optional<Value> number = python_int(digits);
    return number ? accepted(*number) : std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t extent_ = 0;
};

}  // namespace

std::optional<Value> evaluate_list_text(std::string_view text) {
  return text.size() > kMaxListLength ? std::nullopt : ListReader(text).run();
}

}  // namespace epwise::expr
