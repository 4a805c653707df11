#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace epwise::recipe {

/// What a framework's configuration holds beside the text of one file.
struct ConfigSchema {
  /// Whether a dotted path ("model.num_layers", "ddp") exists in every configuration, or can't be
  /// judged.
  std::function<bool(std::string_view path)> knows = [](std::string_view) { return false; };
  /// Words to stand behind "there is no `model.num_layer`": ", did you mean `model.num_layers`?"
  std::function<std::string(std::string_view path)> suggestion = [](std::string_view) {
    return std::string();
  };
};

}  // namespace epwise::recipe
