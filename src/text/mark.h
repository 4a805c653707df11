#pragma once

#include <cstdint>

#include "text/source_file.h"

namespace epwise::text {

/// A half-open byte range [begin, end) in one source file. A default-made mark is "nowhere".
/// The file outlives every mark into it: a Recipe owns its files (recipe/recipe.h).
struct Mark {
  const SourceFile* file = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool nowhere() const { return file == nullptr; }

  Position start() const { return file == nullptr ? Position{} : file->position(begin); }

  Position finish() const { return file == nullptr ? Position{} : file->position(end); }

  bool operator==(const Mark&) const = default;
};

}  // namespace epwise::text
