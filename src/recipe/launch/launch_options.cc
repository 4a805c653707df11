#include "recipe/launch/launch_options.h"

#include <vector>

#include <fmt/format.h>

namespace epwise::recipe {

const shell::Field* option(const LaunchWords& launch,
                           std::string_view name,
                           std::string_view short_name) {
  const std::vector<shell::Field>& words = launch.arguments;
  const auto holds = [](const std::string& text, std::string_view called) {
    return !called.empty() && text.starts_with(fmt::format("{}=", called));
  };
  for (std::size_t i = words.size(); i-- > 0;) {
    const std::string text = words[i].text();
    if ((text == name || (!short_name.empty() && text == short_name)) && i + 1 < words.size()) {
      return &words[i + 1];
    }
    if (holds(text, name) || holds(text, short_name)) {
      return &words[i];
    }
  }
  return nullptr;
}

std::string option_text(const shell::Field& field) {
  const std::string text = field.text();
  return text.starts_with("-") ? text.substr(text.find('=') + 1) : text;
}

void report_slip(Recipe& recipe, const shell::Field& named, const Request& request) {
  const std::string name = option_text(named);
  const auto nearest =
      named.known() && request.slip ? request.slip(name) : std::optional<std::string>();
  if (!nearest) {
    return;
  }
  recipe.diagnostics.push_back(
      {"recipe/missing-file",
       named.mark,
       fmt::format("{} does not exist, though its folder does{}",
                   name,
                   nearest->empty() ? "" : fmt::format(", did you mean `{}`?", *nearest)),
       {},
       "name a file that is there, or add it"});
}

}  // namespace epwise::recipe
