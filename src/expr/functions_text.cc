#include <algorithm>

#include <fmt/format.h>

#include "expr/arithmetic.h"
#include "expr/builtins.h"
#include "expr/python_text.h"

namespace epwise::expr::builtin {

namespace {

// Tests of a text that isn't set are false, so that a rule needs no guard around each.
Value test_text(std::string_view function,
                Arguments a,
                bool (*test)(std::string_view text, std::string_view part)) {
  if (a[0]->is_unset()) {
    return Value::of(false);
  }
  if (a[0]->text() == nullptr || a[1]->text() == nullptr) {
    return refuse(function, a[0]->text() == nullptr ? *a[0] : *a[1]);
  }
  return Value::of(test(*a[0]->text(), *a[1]->text()));
}

// `*` matches any run of letters. Greedy with one place to return to, so the time is bounded by the
// product of the lengths.
bool is_like(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Value::List split_blanks(std::string_view text) {
  Value::List parts;
  for (text = stripped(text); !text.empty(); text = stripped(text)) {
    std::size_t end = 0;
    while (end < text.size() && !stripped(text.substr(end, 1)).empty()) {
      ++end;
    }
    parts.push_back(Value::of(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return parts;
}

Value::List split_at(std::string_view text, std::string_view separator) {
  Value::List parts;
  std::size_t begin = 0;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator, begin)) {
    parts.push_back(Value::of(text.substr(begin, at - begin)));
    begin = at + separator.size();
  }
  parts.push_back(Value::of(text.substr(begin)));
  return parts;
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

Value ends_with(Arguments a) {
  return test_text("ends_with", a, [](std::string_view text, std::string_view part) {
    return text.ends_with(part);
  });
}

Value is_text(Arguments a) {
  return Value::of(a[0]->text() != nullptr);
}

Value join(Arguments a) {
  const Value::List* list = a[0]->list();
  const std::string* separator = a[1]->text();
  if (list == nullptr || separator == nullptr) {
    return refuse("join", list == nullptr ? *a[0] : *a[1]);
  }
  std::string joined;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if ((*list)[i].text() == nullptr) {
      return refuse("join", (*list)[i]);
    }
    joined += i == 0 ? "" : *separator;
    joined += *(*list)[i].text();
    if (joined.size() > kMaxExtent) {
      return Value::crash(fmt::format("MemoryError: join makes more than {} bytes", kMaxExtent));
    }
  }
  return Value::of(std::move(joined));
}

Value like(Arguments a) {
  return test_text("like", a, is_like);
}

Value lower(Arguments a) {
  if (a[0]->text() == nullptr) {
    return refuse("lower", *a[0]);
  }
  std::string result = *a[0]->text();
  std::transform(result.begin(), result.end(), result.begin(), lowered);
  return Value::of(std::move(result));
}

Value split(Arguments a) {
  const std::string* content = a[0]->text();
  if (content == nullptr) {
    return refuse("split", *a[0]);
  }
  if (a.size() == 1 || a[1]->is_unset()) {
    return Value::of(split_blanks(*content));
  }
  if (a[1]->text() == nullptr) {
    return refuse("split", *a[1]);
  }
  if (a[1]->text()->empty()) {
    return Value::crash("ValueError: split with an empty separator");
  }
  return Value::of(split_at(*content, *a[1]->text()));
}

Value starts_with(Arguments a) {
  return test_text("starts_with", a, [](std::string_view text, std::string_view part) {
    return text.starts_with(part);
  });
}

Value strip(Arguments a) {
  if (a[0]->text() == nullptr) {
    return refuse("strip", *a[0]);
  }
  return Value::of(stripped(*a[0]->text()));
}

Value text(Arguments a) {
  return Value::of(python_text(*a[0]));
}

Value version_of(Arguments a) {
  const Value& value = *a[0];
  if (value.is_unset() || value.version() != nullptr) {
    return value;
  }
  if (value.text() == nullptr) {
    return refuse("version_of", value);
  }
  const auto version = units::Version::parse(*value.text());
  return version ? Value::of(*version)
                 : Value::crash(fmt::format("InvalidVersion: '{}'", *value.text()));
}

}  // namespace epwise::expr::builtin
