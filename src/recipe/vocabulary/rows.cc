#include "recipe/vocabulary/rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "text/spelling.h"
#include "yaml/scalar.h"

namespace epwise::recipe {

namespace {

Literal literal(const yaml::Node& node) {
  Literal result;
  if (node.is_sequence()) {
    result.kind = Literal::Kind::list;
    for (const yaml::Node& item : node.items) {
      result.items.push_back(literal(item));
    }
    return result;
  }
  const yaml::Typed typed = yaml::type_scalar(node, yaml::Dialect::pyyaml);
  switch (typed.type) {
    case yaml::ScalarType::null:
      break;
    case yaml::ScalarType::boolean:
      result.kind = Literal::Kind::boolean;
      result.boolean = typed.boolean;
      break;
    case yaml::ScalarType::integer:
      result.kind = Literal::Kind::integer;
      result.integer = typed.integer;
      break;
    case yaml::ScalarType::real:
      result.kind = Literal::Kind::real;
      result.real = typed.real;
      break;
    case yaml::ScalarType::text:
      result.kind = Literal::Kind::text;
      result.text = node.scalar;
      break;
  }
  return result;
}

constexpr std::array<std::pair<std::string_view, Flag::Action>, 6> kActions = {{
    {"store", Flag::Action::store},
    {"store_true", Flag::Action::store_true},
    {"store_false", Flag::Action::store_false},
    {"store_const", Flag::Action::store_const},
    {"append", Flag::Action::append},
    {"help", Flag::Action::help},
}};

}  // namespace

std::string_view word(yaml::MapReader& in, std::string_view key) {
  return in.text(key) ? std::string_view(in.node(key)->scalar) : std::string_view();
}

std::string_view required_word(yaml::MapReader& in, std::string_view key) {
  return in.required(key) == nullptr ? std::string_view() : word(in, key);
}

std::vector<std::string_view> words(yaml::MapReader& in, std::string_view key) {
  const yaml::Node* const node = in.sequence(key);
  std::vector<std::string_view> result;
  if (node == nullptr) {
    return result;
  }
  for (const yaml::Node& item : node->items) {
    if (item.is_scalar()) {
      result.emplace_back(item.scalar);
    } else {
      in.problem(item.mark, fmt::format("an item of `{}` is no word", key));
    }
  }
  return result;
}

VersionRange RowReader::all() const {
  return {.first = 0, .last = static_cast<std::uint8_t>(versions_.size() - 1)};
}

yaml::MapReader RowReader::row(const yaml::Node& node, std::string_view what) {
  return {node, std::string(what), problems_, std::string(kVocabularyRule)};
}

int RowReader::version(std::string_view name, const yaml::Node& node, int otherwise) {
  if (name.empty()) {
    return otherwise;
  }
  const auto found = std::find(versions_.begin(), versions_.end(), name);
  if (found == versions_.end()) {
    problems_.push_back(
        {.rule = std::string(kVocabularyRule),
         .mark = node.mark,
         .message =
             fmt::format("`{}` is no known version{}", name, text::did_you_mean(name, versions_))});
    return otherwise;
  }
  return static_cast<int>(found - versions_.begin());
}

VersionRange RowReader::range(yaml::MapReader& in, const yaml::Node& node, VersionRange around) {
  const int first = version(word(in, "since"), node, around.first);
  const int last = version(word(in, "until"), node, around.last);
  if (first > last || !around.holds(first) || !around.holds(last)) {
    in.problem(node.mark,
               fmt::format("no version lies from {} to {} here",
                           versions_[static_cast<std::size_t>(first)],
                           versions_[static_cast<std::size_t>(last)]));
    return around;
  }
  return {.first = static_cast<std::uint8_t>(first), .last = static_cast<std::uint8_t>(last)};
}

void RowReader::type(std::string_view text, const yaml::Node& node, FieldRow& row) {
  row.optional = text.ends_with('?');
  const auto type = expr::parse_type(row.optional ? text.substr(0, text.size() - 1) : text);
  if (type) {
    row.kind = type->kind;
    return;
  }
  problems_.push_back({.rule = std::string(kVocabularyRule),
                       .mark = node.mark,
                       .message = fmt::format("`{}` is no type", text),
                       .help = "write bool, int, number, text, list or any, with ? if it may be "
                               "null"});
}

FieldRow RowReader::field(yaml::MapReader& in, const yaml::Node& node, VersionRange around) {
  FieldRow row;
  row.name = required_word(in, "name");
  row.versions = range(in, node, around);
  type(required_word(in, "type"), node, row);
  row.choices = words(in, "choices");
  const yaml::Node* const value = in.node("default");
  const bool computed = in.boolean("computed").value_or(false);
  const bool required = in.boolean("required").value_or(false);
  if ((value != nullptr ? 1 : 0) + (computed ? 1 : 0) + (required ? 1 : 0) != 1) {
    in.problem(node.mark,
               fmt::format("field `{}` needs one of default, computed and required", row.name));
  }
  if (value != nullptr) {
    row.value = literal(*value);
  } else {
    row.stated = computed ? FieldRow::Default::computed : FieldRow::Default::required;
  }
  return row;
}

void RowReader::values(const yaml::Node& node, FlagRow& row) {
  if (node.scalar == "?") {
    row.values = Flag::Values::optional;
  } else if (node.scalar == "*") {
    row.values = Flag::Values::any;
  } else if (node.scalar == "+") {
    row.values = Flag::Values::some;
  } else {
    const yaml::Typed typed = yaml::type_scalar(node, yaml::Dialect::pyyaml);
    row.values = Flag::Values::fixed;
    row.count = static_cast<std::int32_t>(typed.integer);
    if (typed.type != yaml::ScalarType::integer || row.count < 1) {
      problems_.push_back({.rule = std::string(kVocabularyRule),
                           .mark = node.mark,
                           .message = fmt::format("`{}` is no number of values", node.scalar),
                           .help = R"(write "?", "*", "+" or a count)"});
    }
  }
}

FlagRow RowReader::flag(yaml::MapReader& in, const yaml::Node& node) {
  FlagRow row;
  row.spellings = words(in, "flags");
  if (row.spellings.empty()) {
    in.problem(node.mark, "a flag needs `flags`, its spellings");
  }
  row.versions = range(in, node, all());
  row.attribute = word(in, "sets");
  if (const std::string_view action = word(in, "action"); !action.empty()) {
    const auto* const found = std::find_if(
        kActions.begin(), kActions.end(), [&](const auto& each) { return each.first == action; });
    if (found == kActions.end()) {
      in.problem(node.mark, fmt::format("`{}` is no action of a flag", action));
    } else {
      row.action = found->second;
    }
  }
  if (const yaml::Node* const count = in.node("values"); count != nullptr) {
    values(*count, row);
  }
  row.type = word(in, "type");
  if (row.type.empty()) {
    row.type = "str";
  }
  row.choices = words(in, "choices");
  if (const yaml::Node* const constant = in.node("constant"); constant != nullptr) {
    row.constant = literal(*constant);
  }
  row.required = in.boolean("required").value_or(false);
  in.finish();
  return row;
}

}  // namespace epwise::recipe
