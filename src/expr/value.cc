#include "expr/value.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "expr/comparison.h"
#include "expr/python_text.h"

namespace epwise::expr {

namespace {

struct KindName {
  std::string_view name;
  Kind kind;
};

constexpr std::array<KindName, 7> kKindNames = {{{"any", Kind::any},
                                                 {"bool", Kind::boolean},
                                                 {"int", Kind::integer},
                                                 {"number", Kind::real},
                                                 {"text", Kind::text},
                                                 {"version", Kind::version},
                                                 {"list", Kind::list}}};

constexpr std::array kDimensions = {units::Dimension::bytes,
                                    units::Dimension::seconds,
                                    units::Dimension::flops,
                                    units::Dimension::bytes_per_second,
                                    units::Dimension::flops_per_second,
                                    units::Dimension::hertz};

std::optional<units::Dimension> find_dimension(std::string_view name) {
  for (const units::Dimension dimension : kDimensions) {
    if (units::to_string(dimension) == name) {
      return dimension;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Type> parse_type(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  for (const KindName& known : kKindNames) {
    if (known.name != word) {
      continue;
    }
    Type type{.kind = known.kind};
    if (space == std::string_view::npos) {
      return type;
    }
    const auto dimension = find_dimension(text.substr(space + 1));
    const bool countable = known.kind == Kind::integer || known.kind == Kind::real;
    if (!dimension || !countable) {
      return std::nullopt;
    }
    type.dimension = *dimension;
    return type;
  }
  return std::nullopt;
}

std::string_view to_string(Kind kind) {
  for (const KindName& known : kKindNames) {
    if (known.kind == kind) {
      return known.name;
    }
  }
  return "any";
}

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
