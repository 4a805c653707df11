#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epwise::recipe {

/// What is known about a variable: its text, that it is unset on purpose, or nothing (nullopt).
struct Binding {
  std::optional<std::string> text;  // nullopt: unset on purpose
};

using Bindings = std::function<std::optional<Binding>(std::string_view name)>;

/// A text after its variables were replaced.
struct Substituted {
  std::string text;  // what could not be replaced stays as it was written
  bool changed = false;
  std::vector<std::string> needs =
      {};  // "${X}": used without a default, and nothing is known about it
  std::vector<std::string> unset =
      {};  // names used without a default although they are unset on purpose
};

/// Replaces $X, ${X}, ${X:-x}, ${X-x}, ${X:=x}, ${X=x}, ${X:+x} and ${X+x}, nested ones too, as a
/// shell would. A variable that nobody mentions is unset, so that its default counts; without a
/// default its text is unknown.
///   substitute("${TP}/${EP:-8}", TP=2) → "2/8"
Substituted substitute(std::string_view text, const Bindings& bindings);

}  // namespace epwise::recipe
