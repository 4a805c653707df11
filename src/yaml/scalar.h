#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "yaml/node.h"

namespace epwise::yaml {

/// The loader that determines the type of a plain scalar. The same text means different things to
/// different loaders:
///   text     pyyaml (YAML 1.1)   omegaconf      text only
///   1e-6     text "1e-6"         number 1e-06   "1e-6"
///   yes      true                true/see tests "yes"
///   1_000    1000                1000           "1_000"
///   010      8                   …              "010"
///   1:30     90                  …              "1:30"
enum class Dialect : std::uint8_t {
  pyyaml,     // yaml.safe_load: ConfigContainer.from_yaml
  omegaconf,  // OmegaConf.load: scripts that pass --config-file
  words,      // every scalar stays text: MODEL_ARGS
};

enum class ScalarType : std::uint8_t { null, boolean, integer, real, text };

/// A scalar as read by one loader.
struct Typed {
  ScalarType type = ScalarType::text;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view refused = {};  // why the loader rejects this value; empty if it does not
  bool big = false;               // an integer beyond 64 bits; `real` contains its approximation
};

/// Determines the type of a scalar or null node. Quoted and block scalars are text; explicit !!str,
/// !!int, !!float, !!bool, !!null count. A collection is text, or rejected for its tag
/// (`!!python/tuple [1, 2]`).
Typed type_scalar(const Node& node, Dialect dialect);

/// The same for a bare word, as if it were plain in a file; Hydra's override values use their own
/// `omegaconf`-like rules in recipe/overrides/overrides.h.
Typed type_plain(std::string_view word, Dialect dialect);

}  // namespace epwise::yaml
