#include "expr/value.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/comparison.h"
#include "expr/python_text.h"

namespace epwise::expr {

Value Value::unknown(std::vector<std::string> needs) {
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  return Value(Data{Unknown{std::move(needs)}});
}

bool Value::is_number() const {
  return boolean() != nullptr || integer() != nullptr || real() != nullptr;
}

double Value::as_number() const {
  if (const bool* b = boolean()) {
    return *b ? 1 : 0;
  }
  if (const std::int64_t* i = integer()) {
    return static_cast<double>(*i);
  }
  const double* r = real();
  return r == nullptr ? 0 : *r;
}

bool Value::truthy() const {
  if (const bool* b = boolean()) {
    return *b;
  }
  if (const std::int64_t* i = integer()) {
    return *i != 0;
  }
  if (const double* r = real()) {
    return *r != 0;
  }
  if (const std::string* t = text()) {
    return !t->empty();
  }
  if (const List* l = list()) {
    return !l->empty();
  }
  return version() != nullptr;
}

bool Value::equals(const Value& other) const {
  return equality(*this, other) == Likeness::equal;
}

std::string Value::to_text() const {
  if (is_unset()) {
    return "null";
  }
  if (const bool* b = boolean()) {
    return *b ? "true" : "false";
  }
  if (is_number()) {
    return number_text(*this);
  }
  if (const std::string* t = text()) {
    return *t;
  }
  if (const units::Version* v = version()) {
    return v->text();
  }
  if (const Crash* c = crashed()) {
    return c->what;
  }
  if (is_unknown()) {
    return "unknown";
  }
  std::string joined;
  for (const Value& item : *list()) {
    joined += joined.empty() ? "" : ", ";
    joined += item.to_text();
  }
  return fmt::format("[{}]", joined);
}

}  // namespace epwise::expr
