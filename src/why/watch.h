#pragma once

#include <string_view>
#include <vector>

#include "expr/expression.h"

namespace epwise::why {

/// Notes which names an evaluation really reads: of `c ? a : b` only the branch that is taken.
class Watch final : public expr::Environment {
 public:
  explicit Watch(const expr::Environment& behind) : behind_(behind) {}

  const expr::Value& value(int slot) const override {
    note(slot);
    return behind_.value(slot);
  }

  expr::Value written(int slot) const override {
    note(slot);
    return behind_.written(slot);
  }

  expr::Value is_explicit(int slot) const override {
    note(slot);
    return behind_.is_explicit(slot);
  }

  expr::Value has_section(std::string_view section) const override {
    return behind_.has_section(section);
  }

  expr::Value origin(int slot) const override {
    note(slot);
    return behind_.origin(slot);
  }

  /// In the order of the first reading.
  const std::vector<int>& read() const { return read_; }

 private:
  void note(int slot) const {
    for (const int known : read_) {
      if (known == slot) {
        return;
      }
    }
    read_.push_back(slot);
  }

  const expr::Environment& behind_;
  mutable std::vector<int> read_;
};

}  // namespace epwise::why
