#include "recipe/overrides/scalar_types.h"

#include <string>

#include <doctest/doctest.h>

namespace epwise::recipe {
namespace {

std::string message(expr::Kind kind, expr::Value value, std::string written) {
  FieldSpec spec;
  spec.type.kind = kind;
  const auto found =
      check_types({{"model.x", &spec, std::move(value), false, std::move(written), {}}});
  return found.diagnostics.empty() ? "" : found.diagnostics.front().message;
}

TEST_CASE("a text for a number is quoted as it was written") {
  CHECK(message(expr::Kind::integer, expr::Value::of("12"), "12") ==
        "`model.x` is a number but is set to the text `12`");
}

TEST_CASE("an override's word is no YAML scalar: its value is quoted") {
  CHECK(message(expr::Kind::integer, expr::Value::of("abc"), "") ==
        "`model.x` is a number but is set to the text `abc`");
  CHECK(message(expr::Kind::boolean, expr::Value::of("no"), "") ==
        "`model.x` is a boolean but is set to the text `no`, and any text is true");
}

}  // namespace
}  // namespace epwise::recipe
