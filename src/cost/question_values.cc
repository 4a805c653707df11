#include "cost/question_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "text/spelling.h"

namespace epwise::cost {

namespace {

std::optional<double> number_of(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  const bool whole = !copy.empty() && end == copy.c_str() + copy.size();
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<bool> flag_of(std::string_view text) {
  for (const std::string_view yes : {"true", "True", "yes", "1"}) {
    if (text == yes) {
      return true;
    }
  }
  for (const std::string_view no : {"false", "False", "no", "0"}) {
    if (text == no) {
      return false;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
  }
  for (std::size_t comma = text.find(','); comma != std::string_view::npos;
       comma = text.find(',')) {
    parts.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string wanted(const Parameter& parameter) {
  const bool whole = parameter.kind == Parameter::Kind::count;
  return fmt::format("`{}` ({}) wants a {}number from {:g} to {:g}",
                     parameter.name,
                     parameter.meaning,
                     whole ? "whole " : "",
                     parameter.low,
                     parameter.high);
}

}  // namespace

bool Values::read(const Parameter& parameter,
                  std::string_view text,
                  std::vector<std::string>& problems) {
  const std::string name(parameter.name);
  if (parameter.kind == Parameter::Kind::word) {
    const auto& words = parameter.words;
    if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) {
      problems.push_back(fmt::format("`{}={}`{}: {} is one of {}",
                                     name,
                                     text,
                                     text::did_you_mean(text, words),
                                     name,
                                     fmt::join(words, ", ")));
      return false;
    }
    words_[name] = std::string(text);
    return true;
  }
  if (parameter.kind == Parameter::Kind::flag) {
    const auto flag = flag_of(text);
    if (!flag) {
      problems.push_back(fmt::format("`{}={}`: {} is true or false", name, text, name));
      return false;
    }
    numbers_[name] = {*flag ? 1.0 : 0.0};
    return true;
  }
  std::vector<double> numbers;
  const bool many = parameter.kind == Parameter::Kind::numbers;
  for (const std::string_view part : many ? parts_of(text) : std::vector{text}) {
    const auto number = number_of(part);
    const bool whole =
        parameter.kind != Parameter::Kind::count || (number && std::floor(*number) == *number);
    if (!number || !whole || *number < parameter.low || *number > parameter.high) {
      problems.push_back(fmt::format("{}, not `{}`", wanted(parameter), part));
      return false;
    }
    numbers.push_back(*number);
  }
  numbers_[name] = std::move(numbers);
  return true;
}

const std::vector<double>& Values::numbers(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) {
    throw std::logic_error("no number " + std::string(name));
  }
  return found->second;
}

const std::string& Values::word(std::string_view name) const {
  const auto found = words_.find(name);
  if (found == words_.end()) {
    throw std::logic_error("no word " + std::string(name));
  }
  return found->second;
}

}  // namespace epwise::cost
