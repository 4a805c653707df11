#include "expr/list_text.h"

#include "expr/arithmetic.h"
#include "expr/python_text.h"

namespace epwise::expr {

namespace {

constexpr std::size_t kMaxLength = 4096;
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

  // Integers stay integers and lists stay short: anything else is nothing that a recipe means.
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
  return text.size() > kMaxLength ? std::nullopt : ListReader(text).run();
}

}  // namespace epwise::expr
