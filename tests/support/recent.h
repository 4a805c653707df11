#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace epwise::support {

/// The last results of something slow, by the text that they follow from: a fuzz target changes one
/// part of its input at a time.
///   static Recent<Sheet> sheets;
///   const auto sheet = sheets.of(bytes, [&] { return std::make_shared<const Sheet>(bytes); });
template <class Value>
class Recent {
 public:
  template <class Make>
  std::shared_ptr<const Value> of(const std::string& text, const Make& make) {
    for (const auto& [known, value] : made_) {
      if (known == text) {
        return value;
      }
    }
    constexpr std::size_t kMost = 32;
    if (made_.size() == kMost) {
      made_.pop_front();
    }
    made_.emplace_back(text, make());
    return made_.back().second;
  }

 private:
  std::deque<std::pair<std::string, std::shared_ptr<const Value>>> made_;
};

}  // namespace epwise::support
