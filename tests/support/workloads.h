#pragma once

#include <map>
#include <string>
#include <string_view>

#include "perf/workload/workload.h"

namespace epwise::test {

/// The workload of a recipe text, after the launch. The framework's newest version counts.
///   workload_of("model: …", "h100", 16)
///   workload_of("model: …", "h100", 16, recipe::Framework::bridge, {{"cudnn", "9.14.0"}})
/// A stack's `container` is a released one: {{"container", "nemo-26.06"}}; an unknown one says
/// nothing.
workload::WorkloadReading workload_of(std::string_view text,
                                      std::string_view hw,
                                      int gpus,
                                      recipe::Framework framework = recipe::Framework::bridge,
                                      const std::map<std::string, std::string>& stack = {},
                                      const std::map<std::string, std::string>& environment = {});

/// The encoder of Qwen3-VL with its four projections; without images.
inline workload::VisionEncoder vision_encoder() {
  return {.layers = 27,
          .hidden = 1152,
          .ffn = 4304,
          .heads = 16,
          .patch = 16,
          .merge = 2,
          .projections = 4};
}

}  // namespace epwise::test
