#include "yaml/reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text/spelling.h"
#include "yaml/parse.h"
#include "yaml/scalar.h"

namespace epwise::yaml {

namespace {

std::string_view described(const Node& node) {
  switch (node.kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return "a word";
    case Kind::sequence:
      return "a list";
    case Kind::mapping:
      break;
  }
  return "a mapping";
}

}  // namespace

MapReader::MapReader(const Node& node,
                     std::string what,
                     std::vector<text::Diagnostic>& problems,
                     std::string rule)
    : node_(node),
      what_(std::move(what)),
      problems_(problems),
      rule_(std::move(rule)) {
  if (!node.is_mapping()) {
    problem(node.mark,
            fmt::format("{} is {}, but a mapping is needed", what_, described(node)),
            "write `key: value` lines");
  }
}

const Node* MapReader::node(std::string_view key) {
  asked_.emplace_back(key);
  return node_.find(key);
}

const Node* MapReader::required(std::string_view key) {
  const Node* const value = node(key);
  if (value == nullptr && node_.is_mapping()) {
    problem(node_.mark, fmt::format("{} has no `{}`", what_, key), fmt::format("add `{}: …`", key));
  }
  return value;
}

const Node* MapReader::mapping(std::string_view key) {
  const Node* const value = node(key);
  if (value != nullptr && !value->is_mapping()) {
    problem(value->mark, fmt::format("`{}` is {}, not a mapping", key, described(*value)));
    return nullptr;
  }
  return value;
}

const Node* MapReader::sequence(std::string_view key) {
  const Node* const value = node(key);
  if (value != nullptr && !value->is_sequence()) {
    problem(value->mark, fmt::format("`{}` is {}, not a list", key, described(*value)));
    return nullptr;
  }
  return value;
}

std::optional<std::string> MapReader::text(std::string_view key) {
  const Node* const value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_scalar()) {
    problem(value->mark, fmt::format("`{}` is {}, not a text", key, described(*value)));
    return std::nullopt;
  }
  return value->scalar;
}

std::string MapReader::required_text(std::string_view key) {
  if (required(key) == nullptr) {
    return {};
  }
  return text(key).value_or(std::string());
}

std::optional<double> MapReader::number(std::string_view key) {
  const Node* const value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const Typed typed = type_scalar(*value, Dialect::omegaconf);
  if (typed.type == ScalarType::integer) {
    return typed.big ? typed.real : static_cast<double>(typed.integer);
  }
  if (typed.type == ScalarType::real) {
    return typed.real;
  }
  problem(value->mark, fmt::format("`{}` is not a number", key));
  return std::nullopt;
}

std::optional<std::int64_t> MapReader::integer(std::string_view key) {
  const Node* const value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const Typed typed = type_scalar(*value, Dialect::omegaconf);
  if (typed.type == ScalarType::integer && !typed.big) {
    return typed.integer;
  }
  problem(value->mark, fmt::format("`{}` is not a whole number", key));
  return std::nullopt;
}

std::optional<bool> MapReader::boolean(std::string_view key) {
  const Node* const value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const Typed typed = type_scalar(*value, Dialect::omegaconf);
  if (typed.type == ScalarType::boolean) {
    return typed.boolean;
  }
  problem(value->mark, fmt::format("`{}` is neither true nor false", key));
  return std::nullopt;
}

std::vector<std::string> MapReader::texts(std::string_view key) {
  const Node* const value = node(key);
  if (value == nullptr) {
    return {};
  }
  if (value->is_scalar()) {
    return {value->scalar};
  }
  std::vector<std::string> result;
  if (!value->is_sequence()) {
    problem(value->mark, fmt::format("`{}` is {}, not a list of texts", key, described(*value)));
    return result;
  }
  for (const Node& item : value->items) {
    if (item.is_scalar()) {
      result.push_back(item.scalar);
    } else {
      problem(item.mark, fmt::format("an item of `{}` is {}, not a text", key, described(item)));
    }
  }
  return result;
}

void MapReader::problem(const text::Mark& mark, std::string message, std::string help) {
  problems_.push_back({rule_, mark, std::move(message), {}, std::move(help)});
}

void MapReader::finish() {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  for (const Entry& entry : node_.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      problem(
          entry.key_mark,
          fmt::format(
              "unknown key `{}` in {}{}", entry.key, what_, text::did_you_mean(entry.key, known)));
    }
  }
}

void read_rows(const text::SourceFile& file,
               std::string_view what,
               std::string_view key,
               std::vector<text::Diagnostic>& problems,
               const std::function<void(const Node& row)>& take) {
  const Stream stream = parse(file);
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  if (!stream.readable || stream.documents.empty()) {
    return;
  }
  MapReader in(stream.documents.front().root, std::string(what), problems);
  in.required(key);
  if (const Node* rows = in.sequence(key)) {
    for (const Node& row : rows->items) {
      take(row);
    }
  }
  in.finish();
}

}  // namespace epwise::yaml
