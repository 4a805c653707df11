#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace epwise::lint {

/// Keeps strings alive so that tables can hold views of them; moving or copying it keeps the views
/// valid.
class Texts {
 public:
  std::string_view keep(std::string text) { return kept_->emplace_back(std::move(text)); }

 private:
  std::shared_ptr<std::deque<std::string>> kept_ = std::make_shared<std::deque<std::string>>();
};

}  // namespace epwise::lint
