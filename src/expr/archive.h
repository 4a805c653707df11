#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/embedded/archive.h"
#include "expr/expression.h"

/// Values and expressions ↔ bytes, for the tables compiled by the build. A version is stored as
/// text.
namespace epwise::expr {

namespace archive_detail {

enum class Tag : std::uint8_t {
  unset,
  boolean,
  integer,
  real,
  text,
  version,
  list,
  unknown,
  crash
};

inline Tag tag_of(const Value& value) {
  if (value.boolean() != nullptr) {
    return Tag::boolean;
  }
  if (value.integer() != nullptr) {
    return Tag::integer;
  }
  if (value.real() != nullptr) {
    return Tag::real;
  }
  if (value.text() != nullptr) {
    return Tag::text;
  }
  if (value.version() != nullptr) {
    return Tag::version;
  }
  if (value.list() != nullptr) {
    return Tag::list;
  }
  if (value.is_unknown()) {
    return Tag::unknown;
  }
  return value.is_crash() ? Tag::crash : Tag::unset;
}

template <class T>
T take(embedded::Reader& archive) {
  T content{};
  archive(content);
  return content;
}

inline Value take_version(embedded::Reader& archive) {
  auto version = units::Version::parse(take<std::string_view>(archive));
  if (!version) {
    throw std::runtime_error("compiled table holds a damaged version");
  }
  return Value::of(*std::move(version));
}

}  // namespace archive_detail

inline void transfer(embedded::Writer& archive, Value& value) {
  using archive_detail::Tag;
  Tag tag = archive_detail::tag_of(value);
  archive(tag);
  // The archive takes its fields by non-const reference, even when only reading them.
  auto put = [&archive](auto content) { archive(content); };
  switch (tag) {
    case Tag::boolean:
      return put(*value.boolean());
    case Tag::integer:
      return put(*value.integer());
    case Tag::real:
      return put(*value.real());
    case Tag::text:
      return put(std::string_view(*value.text()));
    case Tag::version:
      return put(std::string_view(value.version()->text()));
    case Tag::list:
      return put(*value.list());
    case Tag::unknown:
      return put(value.unknown()->needs);
    case Tag::crash:
      return put(std::string_view(value.crashed()->what));
    case Tag::unset:
      return;
  }
}

inline void transfer(embedded::Reader& archive, Value& value) {
  using archive_detail::Tag;
  using archive_detail::take;
  switch (take<Tag>(archive)) {
    case Tag::unset:
      value = Value::unset();
      return;
    case Tag::boolean:
      value = Value::of(take<bool>(archive));
      return;
    case Tag::integer:
      value = Value::of(take<std::int64_t>(archive));
      return;
    case Tag::real:
      value = Value::of(take<double>(archive));
      return;
    case Tag::text:
      value = Value::of(take<std::string_view>(archive));
      return;
    case Tag::version:
      value = archive_detail::take_version(archive);
      return;
    case Tag::list:
      value = Value::of(take<Value::List>(archive));
      return;
    case Tag::unknown:
      value = Value::unknown(take<std::vector<std::string>>(archive));
      return;
    case Tag::crash:
      value = Value::crash(take<std::string>(archive));
      return;
  }
  throw std::runtime_error("compiled table holds a value of unknown kind");
}

template <class Archive>
void transfer(Archive& archive, NameSlot& slot) {
  std::int32_t number = slot.number();
  archive(number);
  slot = NameSlot(number);
}

template <class Archive>
void transfer(Archive& archive, Constant& constant) {
  archive(constant.value, constant.dimension);
}

/// The literals of all expressions of a table: few of them differ, so that reading a table makes few
/// values. Whoever writes or reads expressions passes one to the archive.
struct ConstantTable final : embedded::Companion {
  std::shared_ptr<Constants> all = std::make_shared<Constants>();

  /// Writers: the index of this literal, which is added if it is new.
  std::int32_t index(const Constant& constant) {
    // Versions of one order may be written in different ways.
    const auto same = [&](const Constant& known) {
      return known == constant && known.value.to_text() == constant.value.to_text();
    };
    const auto found = std::ranges::find_if(*all, same);
    const auto at = static_cast<std::int32_t>(found - all->begin());
    if (found == all->end()) {
      all->push_back(constant);
    }
    return at;
  }
};

inline void transfer(embedded::Writer& archive, Expression& expression) {
  auto& table = static_cast<ConstantTable&>(*archive.companion());
  std::vector<Node> nodes(expression.nodes.begin(), expression.nodes.end());
  for (Node& node : nodes) {
    node.constant = node.constant < 0 ? -1 : table.index(expression.constant(node));
  }
  embedded::Sequence<Node> shared(std::move(nodes));
  archive(shared, expression.children);
}

inline void transfer(embedded::Reader& archive, Expression& expression) {
  archive(expression.nodes, expression.children);
  expression.constants = static_cast<const ConstantTable&>(*archive.companion()).all;
}

}  // namespace epwise::expr
