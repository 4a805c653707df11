#include "lint/expression_reader.h"

#include <string>
#include <utility>

#include "lint/range.h"
#include "recipe/framework.h"

namespace epwise::lint {

namespace {

/// The part [begin, end) of an expression as a mark; the whole scalar where quoting or folding
/// moved characters.
text::Mark part_of(const text::Mark& scalar,
                   std::string_view text,
                   std::size_t begin,
                   std::size_t end) {
  const auto raw = scalar.file->bytes().substr(scalar.begin, scalar.end - scalar.begin);
  const auto offset = raw.find(text);
  if (offset == std::string_view::npos) {
    return scalar;
  }
  const auto base = scalar.begin + offset;
  return {scalar.file,
          static_cast<std::uint32_t>(base + begin),
          static_cast<std::uint32_t>(base + end)};
}

expr::Expression parse_checked(std::string_view text,
                               const text::Mark& mark,
                               expr::Kind wanted,
                               Reading& reading) {
  auto parsed = expr::parse(text, reading.names);
  auto problems = std::move(parsed.problems);
  if (problems.empty()) {
    problems = expr::check(parsed.expression, reading.names, reading.scope, wanted);
  }
  for (const auto& problem : problems) {
    reading.problems.push_back(
        {"rules/invalid", part_of(mark, text, problem.begin, problem.end), problem.sentence});
  }
  return problems.empty() ? std::move(parsed.expression) : expr::Expression{};
}

}  // namespace

std::vector<std::string_view> Reading::kept(std::vector<std::string> all) const {
  std::vector<std::string_view> views;
  views.reserve(all.size());
  for (std::string& text : all) {
    views.push_back(texts.keep(std::move(text)));
  }
  return views;
}

expr::Expression read_expression(const yaml::Node& node, expr::Kind wanted, Reading& reading) {
  if (!node.is_scalar()) {
    reading.problems.push_back({"rules/invalid", node.mark, "an expression is expected here"});
    return {};
  }
  return parse_checked(node.scalar, node.mark, wanted, reading);
}

std::vector<MessagePart> read_message(const yaml::Node& node, Reading& reading) {
  std::vector<MessagePart> parts;
  if (!node.is_scalar()) {
    reading.problems.push_back({"rules/invalid", node.mark, "a sentence is expected here"});
    return parts;
  }
  const std::string_view text = node.scalar;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto open = text.find('{', at);
    if (open != at) {
      parts.push_back({reading.texts.keep(std::string(text.substr(at, open - at))), {}});
    }
    if (open == std::string_view::npos) {
      break;
    }
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) {
      reading.problems.push_back({"rules/invalid", node.mark, "`{` without `}` in a message"});
      break;
    }
    const auto inner = text.substr(open + 1, close - open - 1);
    parts.push_back({reading.texts.keep(std::string(inner)),
                     parse_checked(inner, node.mark, expr::Kind::any, reading)});
    at = close + 1;
  }
  return parts;
}

std::vector<Range> read_versions(const yaml::Node& node, Reading& reading) {
  std::vector<Range> ranges;
  if (!node.is_mapping()) {
    reading.problems.push_back({"rules/invalid",
                                node.mark,
                                "versions are a mapping such as {bridge: all, mlm: \"0.16.1..\"}"});
    return ranges;
  }
  for (const auto& entry : node.entries) {
    const auto framework = recipe::parse_framework(entry.key);
    if (!framework) {
      reading.problems.push_back({"rules/invalid",
                                  entry.key_mark,
                                  "`" + entry.key + "` is no framework; known are bridge and mlm"});
      continue;
    }
    const auto text = reading.texts.keep(entry.value.scalar);
    const auto range = parse_range(recipe::to_string(*framework), text);
    if (!entry.value.is_scalar() || !range) {
      reading.problems.push_back(
          {"rules/invalid",
           entry.value.mark,
           "a version range is `all`, \"0.5.0..\", \"..0.6.2\" or \"0.5.0..0.6.2\""});
      continue;
    }
    ranges.push_back(*range);
  }
  return ranges;
}

}  // namespace epwise::lint
